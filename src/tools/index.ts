// Tools: defining them, keeping them, running them, and those that are built in.
export { defineTool } from './defineTool.ts'
export type { CheckContext, CheckResult, InputProperty, Tool, ToolContext, ToolDeclaration } from './tool.ts'
export { ToolError, type ToolErrorDetails } from './toolError.ts'
export { createToolRegistry, type ToolRegistry } from './registry.ts'
export { carryOut, type CarriedOut, type CarryOutOptions } from './carryOut.ts'

// For tools of your own that touch files.
export { confine, confineNew, unreadable } from './confine.ts'
export { makeFolder } from '../makeFolder.ts'

// Files, in folders that are named.
export { fileTools, type FileToolsOptions } from './files/fileTools.ts'

// Commands of the operating system that are named.
export { shellCommand, shellTools, type ShellCommand, type ShellToolsOptions } from './shell/shellTools.ts'

// Data and text.
export { jsonQueryTool, type JsonQueryOptions } from './json/jsonQuery.ts'
export { templateRenderTool, type TemplateRenderOptions } from './template/templateRender.ts'

// HTTP, to hosts that are named.
export { httpTools, type HttpToolsOptions } from './http/httpTools.ts'

// Tables, by DuckDB.
export { duckdbTools } from './duckdb/duckdbTools.ts'
export { openDuckDB, type DuckDB, type DuckDBOptions } from './duckdb/openDuckDB.ts'
export type { QueryResult, Session } from './duckdb/session.ts'
export { readTable, type ReadTableOptions } from './duckdb/readTable.ts'
export { workPath, writeTable, type WriteTableOptions } from './duckdb/writeTable.ts'
export { sampleTable, type SampleTableOptions } from './duckdb/sampleTable.ts'
export { queryTables, type QueryTablesOptions } from './duckdb/queryTables.ts'
export { profileTable, textOf } from './duckdb/profileTable.ts'
export { columnSketchSchema, sketchColumns, type ColumnSketch } from './duckdb/sketchColumns.ts'
export { findJoins, type FindJoinsOptions } from './duckdb/findJoins.ts'
export { joinSchema, type Join } from './duckdb/join.ts'
export { tableHandleSchema, type TableHandle } from './duckdb/tableHandle.ts'
export {
  columnProfileSchema,
  tableProfileSchema,
  type ColumnProfile,
  type TableProfile,
} from './duckdb/tableProfile.ts'
export { quoteName, quotePath, quoteText } from './duckdb/sql.ts'
