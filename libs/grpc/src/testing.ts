/** For tests: a service that returns what it is sent, and the parts of a host without a socket. */
export { callsBy } from './client.ts'
export { type InProcessTransport, openInProcessTransport } from './in-process-transport.ts'
export { type Items, mirrorService } from './test-service.ts'
