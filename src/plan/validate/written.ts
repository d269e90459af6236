// Where things stand that were read under another name than they are written with.
import type { Finding } from '../finding.ts'
import { boundPointer, formatPointer } from '../pointer.ts'
import type { Place } from './report.ts'

export class Written {
  readonly #places = new Map<string, string>()

  add(read: Place, written: Place): void {
    this.#places.set(formatPointer(read), formatPointer(written))
  }

  /** The finding with the path as it is written. */
  restore(finding: Finding): Finding {
    if (this.#places.size === 0) return finding
    const path = this.#restorePath(this.#restorePath(finding.path, fieldOfStep), fieldOfPlan)
    return path === finding.path ? finding : { ...finding, path: boundPointer(path) }
  }

  #restorePath(path: string, start: RegExp): string {
    const read = start.exec(path)?.[0] ?? ''
    const written = this.#places.get(read)
    return written === undefined ? path : written + path.slice(read.length)
  }
}

const fieldOfStep = /^\/steps\/\d+\/[^/]+/
const fieldOfPlan = /^\/[^/]+/
