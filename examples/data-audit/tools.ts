// The tools of the audit for goals in words, as `planloom run "…" --tools data-audit` takes them: with one that picks from what others give.
import { jsonQueryTool } from 'planloom/tools'
import { tools as auditTools } from './goal.ts'

export const tools = [...auditTools, jsonQueryTool()]
