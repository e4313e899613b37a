/** What tests on a real broker stand on: processes of one hub that can die, on topics of their own. */
export {
  openKafkaUnderTest,
  type KafkaUnderTest,
  type KafkaUnderTestOptions,
} from './bus/testing/kafka-under-test.ts'
