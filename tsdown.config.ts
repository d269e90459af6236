// The build: one ES module per entry, with its types; dependencies stay outside.
import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    'plan/index': 'src/plan/index.ts',
    'tools/index': 'src/tools/index.ts',
    'inspector/index': 'src/inspector/index.ts',
    'cli/main': 'src/cli/main.ts',
  },
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  dts: true,
  sourcemap: true,
  clean: true,
  fixedExtension: false,
})
