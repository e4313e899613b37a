/** Assembles a process: database, event bus, calls and health for its services. */
export { openServiceEgress } from './egress.ts'
export { openEmbedded } from './embedded.ts'
export type { SharedMemory, Sharing, Use } from './memory/shared-memory.ts'
export { serveOperations } from './operations.ts'
export type { ProcessParts, Start } from './process-parts.ts'
export { runKafkaProvision } from './provision/kafka.ts'
export { runDistributed } from './run-distributed.ts'
export { tracedParts, tracingOf } from './tracing/parts.ts'
