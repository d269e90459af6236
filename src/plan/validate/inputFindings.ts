// Findings about inputs and the references in them, in words.
import type { Finding } from '../finding.ts'
import { isJsonObject } from '../json.ts'
import { parsePointer, shortPointer } from '../pointer.ts'
import { isItemPointer, toReference } from '../references.ts'
import type { Hole, Misfit } from './fit.ts'
import type { Flow } from './flow.ts'
import { idOfStep, nameOfStep, type PlacedStep, type PlanView } from './planView.ts'
import { problem, quoted, Suggestions, type Place } from './report.ts'

export function inputFindings(placed: PlacedStep, place: Place, found: readonly Misfit[]): Finding[] {
  const meant = new Set<string>()
  const hints = new Map<Misfit, string>()
  for (const misfit of found) {
    if (misfit.code !== 'INPUT_UNKNOWN') continue
    const like = new Suggestions(misfit.names ?? []).nearest(misfit.name ?? '')
    if (like === undefined) continue
    hints.set(misfit, `Did you mean ${quoted(like)}?`)
    meant.add(`${misfit.path.slice(0, misfit.path.lastIndexOf('/'))} ${like}`)
  }
  // What is there under a misspelt name is not missing as well.
  return found
    .filter(({ code, path, name }) => code !== 'INPUT_MISSING' || !meant.has(`${path} ${name ?? ''}`))
    .map((misfit) => inputFinding(placed, place, misfit, hints.get(misfit)))
}

function inputFinding(placed: PlacedStep, place: Place, misfit: Misfit, hint = hintFor(misfit)): Finding {
  const { code, path, message, conflict } = misfit
  const at = path === '' ? '' : ` at "${shortPointer(path)}"`
  const text =
    conflict === undefined
      ? `${nameOfStep(placed)} has an input that does not fit tool "${placed.step.tool ?? ''}"${at}: ${message}.`
      : `${nameOfStep(placed)} needs ${conflict.wanted}${at}, and the reference there gives ${conflict.given}${
          conflict.path === '' ? '' : ` (at "${shortPointer(conflict.path)}" in it)`
        }.`
  return problem(code, place, idOfStep(placed), text, hint, path)
}

function hintFor({ code, name = '', names = [] }: Misfit): string {
  switch (code) {
    case 'INPUT_UNKNOWN':
      return `Take it out.${names.length === 0 ? '' : ` There are: ${names.slice(0, 10).join(', ')}.`}`
    case 'INPUT_MISSING':
      return `Add ${quoted(name)} to the input: a value, or a reference as {"$from": "stepId", "path": "/field"}.`
    case 'INPUT_INVALID':
      return "Give a value that fits the tool's input schema there, or refer to a step that gives one."
    case 'REFERENCE_TYPE':
      return 'Refer to another place, or put a step between that converts it.'
  }
}

/** A reference to a place that certainly is not in what it refers to. */
export function leadsNowhere(
  placed: PlacedStep,
  hole: Hole,
  place: Place,
  { byId, unreadOf }: PlanView,
  flow: Flow,
): Finding {
  const giver = isItemPointer(hole) ? undefined : byId.get(toReference(hole).$from)
  const message = `${nameOfStep(placed)} refers to ${nameOfHole(hole)}, and nothing is there.`
  const isList = giver?.forEach !== undefined || (giver !== undefined && unreadOf(giver).has('forEach'))
  const hint = isList
    ? `${quoted(giver.id)} gives an array with the output for each item: go over it with "forEach" and "$item", or begin the path with an index.`
    : namesHint(placed, hole, flow)
  return problem('REFERENCE_PATH', place, idOfStep(placed), message, hint)
}

/** The names that there are in place of the first part of the path, where the schema lists them. */
function namesHint({ step }: PlacedStep, hole: Hole, flow: Flow): string {
  const whole = isItemPointer(hole) ? flow.atItem(step, '') : flow.at({ ...toReference(hole), path: '' })
  const names = whole.flatMap(({ schema }) =>
    isJsonObject(schema) && isJsonObject(schema.properties) ? Object.keys(schema.properties) : [],
  )
  const [first = ''] = parsePointer(isItemPointer(hole) ? hole.$item : toReference(hole).path)
  const otherwise = 'Look at the output schema of the tool that gives it.'
  if (names.length === 0 || names.includes(first)) return otherwise
  return new Suggestions(names).hint(first, `There are: ${names.slice(0, 10).map(quoted).join(', ')}.`)
}

export function nameOfHole(hole: Hole): string {
  if (isItemPointer(hole)) return hole.$item === '' ? 'its item' : `${quoted(shortPointer(hole.$item))} in its item`
  const { $from, path } = toReference(hole)
  const whose = `the output of ${quoted($from)}`
  return path === '' ? whose : `${quoted(shortPointer(path))} in ${whose}`
}
