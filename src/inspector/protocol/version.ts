// The version of the protocol. It grows with whatever a client of the version before would get wrong.
export const protocolVersion = 1

/** The WebSocket subprotocol that speaks it. */
export const subprotocol = 'planloom.v1'
