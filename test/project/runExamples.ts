// Compiles code examples as one program (fast), and runs each in a function of its own.
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import ts from 'typescript'
import { moduleOf, type CodeExample } from './codeExamples.ts'
import { exportedNames, publicEntries } from './publicNames.ts'

export interface CompiledExample extends CodeExample {
  /** What the compiler, or the check of the promised values, has to say. */
  readonly problems: readonly string[]
  readonly script: string
}

const timeLimitMs = 10_000

export function compileExamples(examples: readonly CodeExample[]): CompiledExample[] {
  const modules = examples.map((example, index) => ({
    example,
    path: resolve(`test/project/example${index}.ts`),
    ...textOf(example),
  }))
  const texts = new Map(modules.map(({ path, text }) => [path, text]))
  const options = {
    ...compilerOptions(),
    verbatimModuleSyntax: false,
    isolatedModules: false,
    rewriteRelativeImportExtensions: false,
  }
  const host = ts.createCompilerHost(options)
  const disk = { ...host }
  host.fileExists = (path) => texts.has(path) || disk.fileExists(path)
  host.readFile = (path) => texts.get(path) ?? disk.readFile(path)
  host.getSourceFile = (path, target, ...rest) => {
    const text = texts.get(path)
    return text === undefined
      ? disk.getSourceFile(path, target, ...rest)
      : ts.createSourceFile(path, text, target, true)
  }
  const program = ts.createProgram([...texts.keys()], options, host)
  return modules.map(({ example, path, text, refused }) => {
    const diagnostics = ts.getPreEmitDiagnostics(program, program.getSourceFile(path))
    const script = ts.transpileModule(text, {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.CommonJS, esModuleInterop: false },
    }).outputText
    return { ...example, problems: [...refused, ...diagnostics.map(inWords)], script }
  })
}

/** Runs it, and fails where it throws, takes too long, or a promised value is another. */
export async function runExample({ script, place }: CompiledExample): Promise<void> {
  const specifiers = [...script.matchAll(/require\("([^"]+)"\)/g)].map((match) => match[1] ?? '')
  const modules = new Map<string, unknown>()
  for (const specifier of specifiers) modules.set(specifier, await import(/* @vite-ignore */ specifier))
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- code of this repository, the same that the compiler has just read
  const body = new Function('require', 'exports', '__equal', '__throws', `return (async () => {${script}\n})()`) as (
    ...names: unknown[]
  ) => Promise<void>
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`the example of ${place} is not over after ${timeLimitMs} ms`))
    }, timeLimitMs)
  })
  try {
    await Promise.race([body((specifier: string) => modules.get(specifier), {}, equal, throws), late])
  } finally {
    clearTimeout(timer)
  }
}

function equal(actual: unknown, expected: unknown, line: string): void {
  if (!isDeepStrictEqual(actual, expected)) throw new Error(`${line}, but it is ${JSON.stringify(actual)}`)
}

async function throws(act: () => unknown, code: string, line: string): Promise<void> {
  try {
    await act()
  } catch (error) {
    const actual = (error as { code?: unknown }).code
    if (actual === code) return
    throw new Error(`${line}, but it throws ${String(actual)}`, { cause: error })
  }
  throw new Error(`${line}, but it throws nothing`)
}

function textOf(example: CodeExample): { readonly text: string; readonly refused: readonly string[] } {
  const imports = new Map<string, string>()
  if (example.file.endsWith('.ts')) {
    const files: [string, string][] = [...publicEntries(), [resolve(example.file), resolve(example.file)]]
    for (const [specifier, file] of files) for (const { name } of exportedNames(file)) imports.set(name, specifier)
  }
  try {
    return { text: moduleOf(example.code, imports), refused: [] }
  } catch (error) {
    return { text: '', refused: [(error as Error).message] }
  }
}

function inWords(diagnostic: ts.Diagnostic): string {
  const start = diagnostic.start ?? 0
  const line = diagnostic.file?.text.slice(start).split('\n')[0] ?? ''
  return `${ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n')} (at: ${line})`
}

function compilerOptions(): ts.CompilerOptions {
  const config = ts.readConfigFile('tsconfig.json', (path) => ts.sys.readFile(path))
  return ts.parseJsonConfigFileContent(config.config, ts.sys, resolve('.')).options
}
