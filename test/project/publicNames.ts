// The public entries, read from package.json, and the names that a module exports.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import ts from 'typescript'

/** By the name that users import (`planloom/plan`): the source file behind it. */
export function publicEntries(): Map<string, string> {
  const { name, exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    name: string
    exports: Record<string, { readonly default: string } | string>
  }
  const entries = new Map<string, string>()
  for (const [subpath, target] of Object.entries(exports)) {
    if (typeof target === 'string') continue // a data file
    const source = target.default.replace(/^\.\/dist\//, 'src/').replace(/\.js$/, '.ts')
    entries.set(subpath === '.' ? name : `${name}${subpath.slice(1)}`, resolve(source))
  }
  return entries
}

/** Names that a file exports, as they stand in its text; `export *` is not used in this project. */
export function exportedNames(file: string): { readonly name: string; readonly isType: boolean }[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  return source.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) {
      if (!statement.exportClause || !ts.isNamedExports(statement.exportClause)) throw new Error(`export * in ${file}`)
      const isType = statement.isTypeOnly
      return statement.exportClause.elements.map((one) => ({ name: one.name.text, isType: isType || one.isTypeOnly }))
    }
    const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined
    if (!modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword)) return []
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.map((one) => ({ name: one.name.getText(source), isType: false }))
    }
    const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)
    const named = isType || ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)
    return named && statement.name ? [{ name: statement.name.text, isType }] : []
  })
}
