/** For tests on a real broker: processes of one hub that can be killed, on topics of their own. */
export { type KafkaUnderTest, openKafkaUnderTest } from './testing/kafka-under-test.ts'
