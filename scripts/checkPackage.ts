// The package as a stranger gets it: packed from dist/, installed in an empty project, compiled against, imported, and
// its command run. Needs `npm run build` first.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly bin: Readonly<Record<string, string>>
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest
const wanted =
  /^(package\.json|README\.md|CHANGELOG\.md|LICENSE|docs\/plan\.schema\.json|dist\/.+\.(js|js\.map|d\.ts))$/
const folder = mkdtempSync(join(tmpdir(), 'planloom-package-'))
try {
  const tarball = pack()
  useIt(tarball)
  console.log(`the package ${manifest.name} ${manifest.version} is what it should be`)
} finally {
  rmSync(folder, { recursive: true })
}

/** Packs it, and checks that what is meant to be inside is, and nothing else. */
function pack(): string {
  const stdout = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    encoding: 'utf8',
  })
  const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }]
  const paths = packed.files.map(({ path }) => path)
  const strange = paths.filter((path) => !wanted.test(path))
  if (strange.length > 0) throw new Error(`does not belong into the package: ${strange.join(', ')}`)
  const targets = [...Object.values(manifest.exports), manifest.bin].flatMap((target) =>
    typeof target === 'string' ? [target] : Object.values(target),
  )
  const missing = [...targets, './LICENSE', './README.md', './CHANGELOG.md'].filter(
    (path) => !paths.includes(path.slice(2)),
  )
  if (missing.length > 0) throw new Error(`missing in the package: ${missing.join(', ')}`)
  return join(folder, packed.filename)
}

function useIt(tarball: string): void {
  const entries = Object.entries(manifest.exports)
    .filter(([, target]) => typeof target !== 'string')
    .map(([subpath]) => manifest.name + subpath.slice(1))
  write('package.json', '{ "type": "module", "private": true }')
  const packages = [tarball, resolve('node_modules/@types/node')]
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', '--install-links', ...packages], folder)
  compile(entries.map((entry) => `import { ${namesOf(entry).join(', ')} } from '${entry}'`))
  const version = execFileSync(binary(), ['--version'], { cwd: folder, encoding: 'utf8' }).trim()
  if (version !== manifest.version) throw new Error(`${manifest.name} --version says ${version}`)
  command()
}

/** The command runs a goal in JavaScript; where neither Node nor tsx reads TypeScript, it says so and what to do. */
function command(): void {
  const goal = "export const goal = 'Nothing'\nexport const planner = { name: 'p', plan: () => ({ steps: [] }) }"
  write('goal.js', goal)
  write('goal.ts', goal)
  const js = spawnSync(binary(), ['run', 'goal.js', '--json'], { cwd: folder, encoding: 'utf8' })
  const { outcome } = JSON.parse(js.stdout) as { outcome: { reason: string } }
  if (js.status !== 0 || outcome.reason !== 'done')
    throw new Error(`running a goal ended with ${js.status ?? 'a signal'}: ${js.stderr}`)
  if ('typescript' in process.features && process.features.typescript) return
  const ts = spawnSync(binary(), ['run', 'goal.ts'], { cwd: folder, encoding: 'utf8' })
  if (ts.status !== 2 || !ts.stderr.includes('Install tsx'))
    throw new Error(`a goal in TypeScript without tsx: ${ts.stderr}`)
}

/** What an entry exports when it is imported: the declarations must say the same names. */
function namesOf(entry: string): string[] {
  const code = `console.log(JSON.stringify(Object.keys(await import('${entry}'))))`
  const stdout = execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: folder, encoding: 'utf8' })
  const names = JSON.parse(stdout) as string[]
  if (names.length === 0) throw new Error(`${entry} exports nothing`)
  return names
}

/** Our own declarations must hold by themselves (no `skipLibCheck`); those of others are their affair. */
function compile(imports: readonly string[]): void {
  for (const [index, text] of imports.entries()) write(`use${index}.ts`, text)
  const compilerOptions = { module: 'nodenext', target: 'es2023', strict: true, noEmit: true, types: ['node'] }
  write('tsconfig.json', JSON.stringify({ compilerOptions }))
  let said: string
  try {
    said = execFileSync(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '-p', '.'], {
      cwd: folder,
      encoding: 'utf8',
    })
  } catch (error) {
    said = String((error as { stdout?: unknown }).stdout)
  }
  const ours = said.split('\n').filter((line) => /^(use\d+\.ts|node_modules\/planloom\/)/.test(line))
  if (ours.length > 0) throw new Error(`the declarations do not hold:\n${ours.join('\n')}`)
}

function binary(): string {
  return join(folder, 'node_modules/.bin', manifest.name)
}

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text)
}

function run(command: string, args: readonly string[], cwd = '.'): void {
  execFileSync(command, args, { cwd, stdio: 'inherit' })
}
