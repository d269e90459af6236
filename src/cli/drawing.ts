// A plan drawn in one of the formats there are.
import { renderDot, renderMarkdown, renderMermaid, renderTree, type Plan } from '../plan/index.ts'
import { printable } from './escape.ts'

export const drawingFormats = ['tree', 'mermaid', 'dot', 'md'] as const
export type DrawingFormat = (typeof drawingFormats)[number]

/** The drawing's lines. `fold`: children of a list are drawn as one with it. */
export function draw(plan: Plan, format: DrawingFormat, options: { readonly fold?: boolean } = {}): string[] {
  const lines = render(plan, format, options).trimEnd().split('\n')
  return format === 'tree' ? lines.map(printable) : lines // the others are documents for programs
}

function render(plan: Plan, format: DrawingFormat, options: { readonly fold?: boolean }): string {
  switch (format) {
    case 'tree':
      return renderTree(plan, options)
    case 'mermaid':
      return renderMermaid(plan, options)
    case 'dot':
      return renderDot(plan, options)
    case 'md':
      return renderMarkdown(plan, options)
  }
}
