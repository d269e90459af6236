// Code that stands in docstrings and in Markdown, made ready to be compiled and run.
//
// X1. An example is self-contained, or names what the file it stands in, or a public entry, exports: those come in by themselves.
// X2. A literal after an expression statement (`sum(1, 2) // 3`) is what that expression must equal. `// throws CODE` is
//     what it must throw. Any other text there is an error: prose has a line of its own.
// X3. An example whose first line begins with `// compiled only` is not run; the rest of that line says why.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import ts from 'typescript'

export interface CodeExample {
  /** Where it stands, as `src/errors.ts:22`. */
  readonly place: string
  readonly file: string
  readonly code: string
  readonly runs: boolean
}

/** What stands behind `@example` in the docstrings of a file. */
export function examplesInSource(file: string): CodeExample[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const found = new Map<number, CodeExample>()
  const visit = (node: ts.Node): void => {
    for (const tag of ts.getJSDocTags(node)) {
      if (tag.tagName.text !== 'example') continue
      const text = (ts.getTextOfJSDocComment(tag.comment) ?? '').replace(/^```\w*\n|\n?```\s*$/g, '')
      found.set(tag.pos, example(file, source.getLineAndCharacterOfPosition(tag.pos).line + 1, text))
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return [...found.values()]
}

/** The blocks of a Markdown file that are marked as to be run: ```ts run */
export function examplesInMarkdown(file: string): CodeExample[] {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(/^```ts run[^\n]*\n(.*?)^```/gms)].map((match) =>
    example(file, text.slice(0, match.index).split('\n').length, match[1] ?? ''),
  )
}

function example(file: string, line: number, code: string): CodeExample {
  return { place: `${relative('.', file)}:${line}`, file, code, runs: !code.trimStart().startsWith('// compiled only') }
}

const checks = `declare const __equal: (actual: unknown, expected: unknown, line: string) => void
declare const __throws: (act: () => unknown, code: string, line: string) => Promise<void>`

/** The example as a module of its own: imports of what it names, and a check for each promised value. */
export function moduleOf(code: string, imports: ReadonlyMap<string, string>): string {
  const source = ts.createSourceFile('example.ts', code, ts.ScriptTarget.Latest, true)
  const used = new Set<string>()
  const declared = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) (declares(node) ? declared : used).add(node.text)
    ts.forEachChild(node, visit)
  }
  visit(source)
  const lines = [...used]
    .filter((name) => imports.has(name) && !declared.has(name))
    .map((name) => `import { ${name} } from '${imports.get(name) ?? ''}'`)
  const body = source.statements.map((statement) => checked(statement, source)).join('\n')
  return [...lines, checks, body, 'export {}'].join('\n')
}

function declares(name: ts.Identifier): boolean {
  const { parent } = name
  return (
    ((ts.isVariableDeclaration(parent) ||
      ts.isFunctionDeclaration(parent) ||
      ts.isClassDeclaration(parent) ||
      ts.isInterfaceDeclaration(parent) ||
      ts.isTypeAliasDeclaration(parent) ||
      ts.isBindingElement(parent) ||
      ts.isParameter(parent)) &&
      parent.name === name) ||
    ts.isImportSpecifier(parent) ||
    ts.isImportClause(parent) ||
    ts.isNamespaceImport(parent)
  )
}

function checked(statement: ts.Statement, source: ts.SourceFile): string {
  const text = statement.getFullText(source)
  const promised = /^[^\S\n]*\/\/\s*(.*)/.exec(source.text.slice(statement.end))?.[1]?.trim()
  if (promised === undefined) return text
  const line = JSON.stringify(`${statement.getText(source)} // ${promised}`)
  if (ts.isExpressionStatement(statement)) {
    const expression = statement.expression.getText(source)
    const code = /^throws ([A-Z_]+)/.exec(promised)?.[1]
    if (code) return `await __throws(async () => (${expression}), '${code}', ${line})`
    const value = literal(promised)
    if (value === undefined)
      throw new Error(`neither a value nor "throws CODE" stands behind: ${JSON.parse(line) as string}`)
    return `__equal((${expression}), (${value}), ${line})`
  }
  const declaration = ts.isVariableStatement(statement) ? statement.declarationList.declarations[0] : undefined
  const value = literal(promised)
  if (!declaration || value === undefined) return text
  return `${text}\n__equal((${declaration.name.getText(source)}), (${value}), ${line})`
}

/** The text, or what of it stands before a `: `, where it is a value written out; undefined where it is prose. */
function literal(text: string): string | undefined {
  const candidates = [text, text.slice(0, text.lastIndexOf(': ')), text.slice(0, text.indexOf(': '))]
  return candidates.find((candidate) => {
    const parsed = ts.createSourceFile('value.ts', `(${candidate})`, ts.ScriptTarget.Latest, true)
    const statement = parsed.statements[0]
    const { parseDiagnostics } = parsed as unknown as { parseDiagnostics: readonly unknown[] }
    if (parseDiagnostics.length > 0 || parsed.statements.length !== 1 || !statement) return false
    return ts.isExpressionStatement(statement) && isLiteral(statement.expression)
  })
}

function isLiteral(node: ts.Expression): boolean {
  if (ts.isParenthesizedExpression(node)) return isLiteral(node.expression)
  if (ts.isPrefixUnaryExpression(node)) return ts.isNumericLiteral(node.operand)
  if (ts.isNewExpression(node) && ['Set', 'Map'].includes(node.expression.getText())) {
    return (node.arguments ?? []).every(isLiteral)
  }
  if (ts.isArrayLiteralExpression(node)) return node.elements.every(isLiteral)
  if (ts.isObjectLiteralExpression(node)) {
    return node.properties.every((property) => ts.isPropertyAssignment(property) && isLiteral(property.initializer))
  }
  if (ts.isIdentifier(node)) return ['undefined', 'NaN', 'Infinity'].includes(node.text)
  return (
    ts.isStringLiteralLike(node) ||
    ts.isNumericLiteral(node) ||
    [ts.SyntaxKind.TrueKeyword, ts.SyntaxKind.FalseKeyword, ts.SyntaxKind.NullKeyword].includes(node.kind)
  )
}
