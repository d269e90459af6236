// Lint rules: lost promises, forgotten messages, and three laws of this project.
//
// E1. Time, chance and ids come in through the runtime: only its clock and ids files, that of models, what writes files, and the command touch
//     the real ones.
// E2. `xstate` comes in through one file, so that its next version is one file's work.
// E3. What may import what is not here but in .dependency-cruiser.cjs.
import js from '@eslint/js'
import { defineConfig, globalIgnores } from 'eslint/config'
import tseslint from 'typescript-eslint'

const realWorld = [
  'src/runtime/clock.ts',
  'src/runtime/ids.ts',
  'src/cli/**',
  'src/journal/memoryJournal.ts',
  'src/journal/sqlite/**',
  'src/models/server/serverClock.ts',
  'src/replaceFile.ts',
  // Tokens, and how long a socket may be silent.
  'src/inspector/server/access.ts',
  'src/inspector/server/connections.ts',
]
const passedIn = 'Time, chance and ids are passed in: use the clock and ids of the runtime.'

export default defineConfig(
  globalIgnores(['dist/', 'coverage/', 'audit-report/', 'test/data/', 'test/compat/']),
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      // `return refuse(…)` leaves early, and `() => run.cancel()` is how a callback is written.
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      // A name that begins with _ says that it is not used, such as what a rest leaves out.
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // Numbers in text are what people read; everything else stays forbidden.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: realWorld,
    rules: {
      'no-restricted-globals': [
        'error',
        ...['setTimeout', 'setInterval', 'performance'].map((name) => ({ name, message: passedIn })),
      ],
      'no-restricted-properties': [
        'error',
        ...[
          ['Date', 'now'],
          ['Math', 'random'],
          ['crypto', 'randomUUID'],
          ['crypto', 'getRandomValues'],
          ['performance', 'now'],
          ['globalThis', 'setTimeout'],
          ['globalThis', 'setInterval'],
        ].map(([object, property]) => ({ object, property, message: passedIn })),
      ],
      'no-restricted-syntax': [
        'error',
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: passedIn },
        { selector: "CallExpression[callee.name='Date']", message: passedIn },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'no-restricted-imports': ['error', { paths: [xstate(), ...clocksAndDice()], patterns: [xstateParts()] }],
    },
  },
  {
    files: realWorld,
    rules: { 'no-restricted-imports': ['error', { paths: [xstate()], patterns: [xstateParts()] }] },
  },
  {
    files: ['src/machines/xstate.ts'],
    rules: { 'no-restricted-imports': ['error', { paths: clocksAndDice() }] },
  },
  {
    // A test may assert what it has just built, and matchers such as `expect.any` are typed `any`.
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  { files: ['**/*.cjs'], languageOptions: { sourceType: 'commonjs', globals: { module: 'writable' } } },
)

function xstate() {
  return { name: 'xstate', message: 'Import it from src/machines/xstate.ts.' }
}

function xstateParts() {
  return { group: ['xstate/*'], message: 'Import it from src/machines/xstate.ts.' }
}

function clocksAndDice() {
  const modules = ['timers', 'timers/promises', 'perf_hooks'].flatMap((name) => [name, `node:${name}`])
  const dice = ['randomUUID', 'randomBytes', 'randomInt', 'getRandomValues', 'webcrypto']
  return [
    ...modules.map((name) => ({ name, message: passedIn })),
    ...['crypto', 'node:crypto'].map((name) => ({ name, importNames: dice, message: passedIn })),
  ]
}
