// The inspector: what others may use of this room.
export { inspectRuntime, type Inspector, type InspectorOptions } from './server/inspectorServer.ts'
export type { InspectorLimits } from './server/limits.ts'
export { protocolVersion, subprotocol } from './protocol/version.ts'
export {
  clientFrameSchema,
  closeCodes,
  serverFrameSchema,
  type ClientFrame,
  type ServerFrame,
} from './protocol/frames.ts'
export { runEntrySchema, type RunEntry } from './protocol/runEntry.ts'
export type { RunSnapshot } from './protocol/runSnapshot.ts'
export { RunView, type Undo } from './view/runView.ts'
