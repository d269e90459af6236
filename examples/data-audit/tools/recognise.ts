// What each file is. Until this has run, the plan goes by the name; where the content says otherwise, it is amended.
import { confine, defineTool, unreadable } from 'planloom/tools'
import { z } from 'zod'
import { fileRecognitionSchema, fileSchema, type Audit } from '../audit.ts'
import { recogniseFile } from '../content/recogniseFile.ts'
import { hoped, promised } from '../formats.ts'

const withExtension = (extension: string) => ({
  properties: { extension: { const: extension } },
  required: ['extension'],
})

/** The first that fits holds. */
function predictions(valueOf: (promise: Pick<(typeof promised)[number], 'format' | 'encoding'>) => string) {
  return [
    ...promised.map((promise) => ({ fact: 'file', is: withExtension(promise.extension), value: valueOf(promise) })),
    { fact: 'file', is: {}, value: valueOf(hoped) },
  ]
}

export function recogniseTool({ db }: Audit) {
  return defineTool({
    name: 'recognise',
    description:
      'Looks at the content of a file and says what it is: format, text encoding, delimiter, visible damage.',
    input: z.strictObject({ file: fileSchema }),
    output: fileRecognitionSchema,
    needs: { file: 'file' },
    gives: {
      format: {
        from: '/format',
        predict: predictions(({ format }) => format),
      },
      encoding: {
        from: '/encoding',
        predict: predictions(({ encoding }) => encoding),
      },
      recognition: '',
    },
    effects: 'read',
    run: async ({ file }, { signal }) => {
      const path = await confine(db.roots, file.path)
      try {
        return { file: file.name, ...(await recogniseFile(path, signal)) }
      } catch (error) {
        signal.throwIfAborted()
        throw unreadable(file.name, error)
      }
    },
  })
}
