/** HTTP servers and clients with bounds and mutual TLS. */
export { type WithoutBase, openBasePaths } from './base-paths.ts'
export {
  type Circuit,
  type CircuitBounds,
  afterBegin,
  afterEnd,
  closedCircuit,
  mayCall,
} from './circuit.ts'
export {
  type ClientTls,
  type HttpAnswer,
  type HttpClient,
  type HttpRequest,
  createHttpClient,
} from './client.ts'
export {
  type Egress,
  type EgressChoices,
  egressModes,
  egressSettings,
  openEgress,
} from './egress.ts'
export { HttpFailure } from './failure.ts'
export { foreignPage, isLoopbackHost } from './foreign-pages.ts'
export { escapedHtml } from './html.ts'
export { type Http, overNetwork } from './http.ts'
export { pauseReadingAfter } from './pause-reading.ts'
export { noteClient, type Peer, peerCertificateOf, presentedThumbprint } from './peer.ts'
export { type Reach, type ResolveAll, reachOf, reachOfServer, refuseRelaxations } from './reach.ts'
export {
  type HostTls,
  type HttpServer,
  type HttpServerOptions,
  type ServerTls,
  type FixedAnswer,
  retryAfter,
  sendFixed,
  serveHttp,
  strongCiphers,
} from './server.ts'
