// A file that is to take the place of another one, which stays as it is until then.
//
// W1. What is written stands beside the file under another name until all of it is there: whatever goes wrong before leaves what
//     was there alone.
// W2. A device or a pipe is written as it is: there is nothing in it to keep.
import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { PlanloomError } from '../errors.ts'

export interface Replacement {
  write(text: string): void
  /** Puts what has been written in the place of the file; what is written from then on follows there. */
  show(): void
  /** Without a `show` before, nothing of it stays. */
  close(): void
}

/** Writes a whole file. @throws `FILE_UNWRITABLE`, and what `write` throws */
export function replaceFile(path: string, write: (put: (text: string) => void) => void): void {
  const file = openReplacement(path)
  try {
    write((text) => {
      file.write(text)
    })
    file.show()
  } finally {
    file.close()
  }
}

/** @throws `FILE_UNWRITABLE`, as its methods do */
export function openReplacement(path: string): Replacement {
  return tried(path, () => {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found && !found.isFile()) return direct(path) // W2
    const target = found ? realpathSync(path) : path // a link goes on leading there
    const draft = join(dirname(target), `.${basename(target)}.${process.pid}.draft`)
    const descriptor = openSync(draft, 'w')
    let isShown = false
    return {
      write: (text) => {
        tried(path, () => {
          writeAll(descriptor, text)
        })
      },
      show() {
        if (isShown) return
        tried(path, () => {
          if (found) chmodSync(draft, found.mode)
          fsyncSync(descriptor)
          renameSync(draft, target)
        })
        isShown = true
      },
      close() {
        tried(path, () => {
          closeSync(descriptor)
          if (!isShown) rmSync(draft, { force: true })
        })
      },
    }
  })
}

function direct(path: string): Replacement {
  const descriptor = openSync(path, 'w')
  return {
    write: (text) => {
      tried(path, () => {
        writeAll(descriptor, text)
      })
    },
    show: () => undefined,
    close() {
      tried(path, () => {
        closeSync(descriptor)
      })
    },
  }
}

/** A pipe may take less at once than it is given. */
function writeAll(file: number, text: string): void {
  let rest = Buffer.from(text)
  while (rest.length > 0) rest = rest.subarray(writeSync(file, rest))
}

function tried<T>(path: string, action: () => T): T {
  try {
    return action()
  } catch (error) {
    throw unwritable(path, error)
  }
}

export function unwritable(path: string, cause: unknown): PlanloomError {
  return new PlanloomError('FILE_UNWRITABLE', `${path} cannot be written: ${(cause as Error).message}`, {
    hint: 'Choose a file in a folder that exists and may be written to.',
    where: { path },
    cause,
  })
}
