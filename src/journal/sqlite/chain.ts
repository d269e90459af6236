// The checksum chain of a run: each event's checksum takes in that of the event before it, so that no event can be changed,
// left out or moved without showing.
import { hash } from 'node:crypto'

/** Bytes of a checksum. Half of SHA-256: it guards against faults, not against somebody who can write the file. */
const checksumBytes = 16

/** What stands before a run's first event. */
export function chainStart(runId: string): Uint8Array {
  return checksum(`planloom journal\n${runId}`)
}

/** The checksum of event `seq`, whose text is `body`. */
export function chainNext(before: Uint8Array, seq: number, body: string): Uint8Array {
  return checksum(`${Buffer.from(before).toString('base64')}\n${String(seq)}\n${body}`)
}

export function sameChecksum(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}

function checksum(text: string): Uint8Array {
  return hash('sha256', text, 'buffer').subarray(0, checksumBytes)
}
