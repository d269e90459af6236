// What one client, and all of them together, may ask of the process.

export interface InspectorLimits {
  /** Clients at once. @default 16 */
  readonly clients: number
  /** Topics that one client follows at once. @default 32 */
  readonly subscriptions: number
  /** Frames that one client may send in a second. @default 50 */
  readonly framesPerSecond: number
  /** Longest frame of a client, in bytes. @default 65,536 */
  readonly frameBytes: number
  /** What may stand unsent for one client before nothing more is written to it, in bytes. @default 1,048,576 */
  readonly bufferedBytes: number
  /** Time that a client has to say `hello`, in ms. @default 5,000 */
  readonly helloMs: number
  /** Time between two looks at whether a client is there, in ms; it is given up after two that went unanswered. @default 15,000 */
  readonly pingMs: number
}

export const defaultInspectorLimits: InspectorLimits = {
  clients: 16,
  subscriptions: 32,
  framesPerSecond: 50,
  frameBytes: 64 * 1024,
  bufferedBytes: 1024 * 1024,
  helloMs: 5_000,
  pingMs: 15_000,
}
