/** For tests on a bus, and for the bench, which runs without the test runner: nothing here imports it. */
export { listenerTo } from './testing/listener.ts'
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
export { recordsIn } from './testing/records.ts'
