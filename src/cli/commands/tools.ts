// `planloom tools`: the tools of some modules, with what they need and give.
import type { Need } from '../../plan/index.ts'
import { PlanloomError, type Tool } from '../../runtime/index.ts'
import type { Colours } from '../colours.ts'
import { printable } from '../escape.ts'
import { exitCodes } from '../exitCodes.ts'
import { loadTools } from '../loadWork.ts'
import type { Output } from '../output.ts'

export async function tools(paths: readonly string[], output: Output): Promise<number> {
  if (paths.length === 0) {
    throw new PlanloomError('USAGE', 'No module is named whose tools to list.', {
      hint: 'planloom tools ./tools.js lists what a module exports. The built-in ones (fileTools, httpTools, shellTools, duckdbTools, …) are made with options of yours: export them from a module.',
    })
  }
  const found = await loadTools(paths)
  output.print(found.flatMap((tool) => toolLines(tool, output.colours)))
  output.document({ tools: found.map(({ description }) => description) })
  return exitCodes.done
}

function toolLines({ description: tool }: Tool, colours: Colours): string[] {
  const needs = [
    ...Object.entries(tool.needs).map(([property, need]) => `${property} ← ${needInWords(need)}`),
    ...tool.requires.map(needInWords),
  ]
  const gives = Object.entries(tool.gives).map(([fact, { each }]) => (each ? `each ${fact}` : fact))
  const traits = [
    `effects ${tool.effects}`,
    ...(tool.idempotent ? ['idempotent'] : []),
    `cost ${tool.cost}`,
    ...(tool.likelihood < 1 ? [`succeeds in ${Math.round(tool.likelihood * 100)} %`] : []),
    ...(tool.concurrency === undefined ? [] : [`${tool.concurrency} at once`]),
    `version ${printable(tool.version)}`,
  ]
  return [
    `${colours.bold(printable(tool.name))}  ${printable(tool.description)}`,
    ...(needs.length > 0 ? [`  ${colours.dim('needs')} ${needs.map(printable).join(', ')}`] : []),
    ...(gives.length > 0 ? [`  ${colours.dim('gives')} ${gives.map(printable).join(', ')}`] : []),
    `  ${colours.dim(traits.join(' · '))}`,
  ]
}

function needInWords({ fact, is, each }: Need): string {
  return `${each ? 'each ' : ''}${fact}${is === undefined ? '' : ` where ${JSON.stringify(is)}`}`
}
