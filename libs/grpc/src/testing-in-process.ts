/** For simulations: what a host is made of that has no socket. */
export { callsBy } from './client.ts'
export { openInProcessTransport } from './in-process-transport.ts'
