// `planloom graph`: draws a plan.
import { draw, type DrawingFormat } from '../drawing.ts'
import { exitCodes } from '../exitCodes.ts'
import { loadPlan } from '../loadPlan.ts'
import type { Output } from '../output.ts'

export interface GraphOptions {
  readonly format: DrawingFormat
  readonly fold?: boolean
}

export async function graph(file: string, { format, fold = false }: GraphOptions, output: Output): Promise<number> {
  const drawing = draw(await loadPlan(file), format, { fold })
  output.print(drawing)
  output.document({ format, drawing: drawing.join('\n') })
  return exitCodes.done
}
