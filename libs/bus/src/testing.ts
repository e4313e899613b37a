/** For tests on a bus. */
export { listenerTo } from './testing/broadcast.ts'
export { message, recorder, shopMigrations } from './testing/bus-under-test.ts'
export {
  brokerFolderVariable,
  brokerPortVariable,
  caFiles,
  freePorts,
  killBroker,
  startBroker,
  testBroker,
  writeCertificates,
} from './testing/kafka-broker.ts'
