// Images have no rows: what there is to know of them takes the place of a table's profile.
import { readFile } from 'node:fs/promises'
import { ToolError, confine, defineTool, unreadable } from 'planloom/tools'
import { z } from 'zod'
import {
  fileChartsSchema,
  fileProblemsSchema,
  fileProfileSchema,
  fileSchema,
  sketchedTableSchema,
  type Audit,
} from '../audit.ts'
import { inspectPng } from '../content/png.ts'

/** Images up to this size are shown in the report. */
const shownBytes = 64 * 1024

export function inspectImageTool({ db }: Audit) {
  return defineTool({
    name: 'inspect_image',
    description: 'Describes a PNG image by its header and checks its parts: size, colours, depth, checksums.',
    input: z.strictObject({ file: fileSchema }),
    output: z.strictObject({
      profile: fileProfileSchema,
      problems: fileProblemsSchema,
      charts: fileChartsSchema,
      sketches: z.array(sketchedTableSchema),
    }),
    needs: { file: 'file' },
    requires: [{ fact: 'format', is: { const: 'png' } }],
    // No column can be drawn or joined: that much is known of an image at once.
    gives: { profile: '/profile', problems: '/problems', charts: '/charts', sketches: '/sketches' },
    effects: 'read',
    run: async ({ file }, { signal }) => {
      const path = await confine(db.roots, file.path)
      const bytes = await readFile(path, { signal }).catch((error: unknown) => {
        signal.throwIfAborted()
        throw unreadable(file.name, error)
      })
      let image
      try {
        image = inspectPng(bytes)
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        throw new ToolError('IMAGE_UNREADABLE', `"${file.name}": ${message}.`, {
          retryable: false,
          where: { path: file.name },
          cause: error,
        })
      }
      const isShown = bytes.length <= shownBytes && image.damage.length === 0
      return {
        profile: {
          kind: 'image' as const,
          file: file.name,
          image,
          ...(isShown && { thumbnail: `data:image/png;base64,${bytes.toString('base64')}` }),
        },
        problems: {
          file: file.name,
          problems: image.damage.map((text) => ({
            code: 'damaged_file' as const,
            severity: 'high' as const,
            table: file.table,
            columns: [],
            count: 1,
            share: 1,
            text,
            examples: [],
          })),
        },
        charts: { file: file.name, charts: [] },
        sketches: [],
      }
    },
  })
}
