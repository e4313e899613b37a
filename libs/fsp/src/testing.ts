/** A scheme in one process, for tests of a participant. */
export type { Fsp } from './fsp.ts'
export type { InboundMessage } from './inbound.ts'
export type { StandInRequest } from './testing/hub-stand-in.ts'
export { openScheme, type Scheme } from './testing/scheme.ts'
