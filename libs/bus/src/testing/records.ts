/** Counts what a broker has stored. */
import kafkajs from 'kafkajs'

/** Records that were ever sent to the topics of services. */
export async function recordsIn(address: string): Promise<number> {
  const kafka = new kafkajs.Kafka({ brokers: [address], logLevel: kafkajs.logLevel.NOTHING })
  const admin = kafka.admin()
  await admin.connect()
  try {
    const topics = (await admin.listTopics()).filter((topic) => !topic.startsWith('__'))
    const offsets = await Promise.all(topics.map((topic) => admin.fetchTopicOffsets(topic)))
    return offsets.flat().reduce((sum, { high }) => sum + Number(high), 0)
  } finally {
    await admin.disconnect()
  }
}
