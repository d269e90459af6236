// Who may import whom: the diagram of the rooms as data, checked by dependency-cruiser.
//
// R1. A room imports only the rooms that `rooms` names for it; src/errors.ts (which imports nothing), src/makeFolder.ts and src/replaceFile.ts are
//     open to all.
// R2. Of machines, the rooms in `messagesOnly` see only the message types (*.messages.ts).
// R3. The rooms in `throughIndex` enter other rooms only by their index.ts.
// R4. Nothing imports in a circle.
// R5. What is published imports what is installed with it, and of `lazily` what it does without where it is missing.
const rooms = {
  plan: [],
  machines: ['plan'],
  models: ['plan', 'machines'],
  actors: ['plan', 'machines', 'models'],
  tools: ['plan', 'machines'],
  journal: ['plan', 'machines'],
  runtime: ['actors', 'tools', 'models', 'journal', 'machines', 'plan'],
  inspector: ['runtime', 'plan'],
  testing: ['runtime', 'plan'],
  cli: ['runtime', 'plan'],
}
const messagesOnly = ['models', 'actors', 'tools', 'journal']
const throughIndex = ['inspector', 'testing', 'cli']

// tsx is looked for at run time, beside the user's module, and done without where it is not: only its types are imported.
const lazily = { '^src/cli/loadModule\\.ts$': '^node_modules/tsx/' }
const notInstalledWithIt = {
  dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
  dependencyTypesNot: ['npm', 'npm-peer', 'npm-optional'],
}

const allOf = (names) => names.map((name) => `^src/${name}/`)

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...Object.entries(rooms).map(([room, mayImport]) => ({
      name: `room-${room}`,
      comment: `${room} may import ${mayImport.join(', ') || 'no other room'}`,
      severity: 'error',
      from: { path: `^src/${room}/` },
      to: {
        path: '^(src|test|bench|examples|scripts)/',
        pathNot: [...allOf([room, ...mayImport]), '^src/(errors|makeFolder|replaceFile)\\.ts$'],
      },
    })),
    {
      name: 'messages-only',
      comment: 'of machines, only the message types',
      severity: 'error',
      from: { path: allOf(messagesOnly) },
      to: { path: '^src/machines/', pathNot: '\\.messages\\.ts$' },
    },
    ...throughIndex.map((room) => ({
      name: `through-index-${room}`,
      comment: `${room} uses only what the rooms it enters export`,
      severity: 'error',
      from: { path: `^src/${room}/` },
      to: { path: allOf(rooms[room]), pathNot: '^src/[^/]+/index\\.ts$' },
    })),
    {
      name: 'unknown-room',
      comment: 'a folder of src that the diagram does not have',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: allOf(Object.keys(rooms)) },
      to: {},
    },
    {
      name: 'errors-import-nothing',
      comment: 'the base class of errors stands alone',
      severity: 'error',
      from: { path: '^src/errors\\.ts$' },
      to: {},
    },
    {
      name: 'no-circle',
      comment: 'modules that import each other cannot be read, or loaded, one by one',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'nothing-unresolved',
      comment: 'an import that leads nowhere',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-dev-dependency',
      comment: 'what is published may only import what is installed with it',
      severity: 'error',
      from: { path: '^src/', pathNot: Object.keys(lazily) },
      to: notInstalledWithIt,
    },
    ...Object.entries(lazily).map(([from, to]) => ({
      name: 'no-dev-dependency',
      comment: `besides ${to}, only what is installed with it`,
      severity: 'error',
      from: { path: from },
      to: { ...notInstalledWithIt, pathNot: to },
    })),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json'],
    },
  },
}
