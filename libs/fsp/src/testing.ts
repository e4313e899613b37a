/** A scheme in one process, for tests of what is a participant of one. */
export type { Fsp } from './fsp.ts'
export type { InboundMessage } from './inbound.ts'
export type { Taken } from './testing/hub-stand-in.ts'
export { openScheme, type Scheme } from './testing/scheme.ts'
