/**
 * What integration tests stand on: the parts of an embedded process on a fresh database of a real
 * PostgreSQL, a crash on demand, and waiting for conditions instead of for time.
 */
export { defaultsOf } from './testing/defaults.ts'
export { eventually } from './testing/eventually.ts'
export {
  brokerFolderVariable,
  brokerPortVariable,
  freePorts,
  killBroker,
  startBroker,
  writeCertificates,
} from './testing/kafka-broker.ts'
export { openRunFolder, removeRunFolder } from './testing/run-folder.ts'
export { openTestParts, type TestParts } from './testing/test-parts.ts'
