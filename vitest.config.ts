import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  resolve: {
    alias: [
      { find: /^planloom$/, replacement: source('./src/index.ts') },
      { find: /^planloom\/plan$/, replacement: source('./src/plan/index.ts') },
      { find: /^planloom\/inspector$/, replacement: source('./src/inspector/index.ts') },
      { find: /^planloom\/tools$/, replacement: source('./src/tools/index.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/seed.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    restoreMocks: true,
    typecheck: { enabled: false },
  },
})
