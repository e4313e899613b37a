/**
 * Assigns the partitions of a group: each topic is spread over the members that subscribe to it. The
 * assigners of kafkajs assume that all members subscribe to the same topics; with two subscriptions of
 * one group, or during a rolling update, they do not.
 */
import kafkajs, { type PartitionAssigner } from 'kafkajs'

export const bySubscription: PartitionAssigner = ({ cluster }) => ({
  name: 'causeway-by-subscription',
  version: 1,
  protocol({ topics }) {
    const metadata = kafkajs.AssignerProtocol.MemberMetadata.encode({
      version: this.version,
      topics,
      userData: Buffer.alloc(0),
    })
    return { name: this.name, metadata }
  },
  async assign({ members }) {
    const subscribed = members.map(({ memberId, memberMetadata }) => ({
      memberId,
      topics: kafkajs.AssignerProtocol.MemberMetadata.decode(memberMetadata)?.topics ?? [],
    }))
    await cluster.addMultipleTargetTopics([...new Set(subscribed.flatMap(({ topics }) => topics))])
    const shares = spread(subscribed, (topic) =>
      cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId),
    )
    return [...shares].map(([memberId, assignment]) => ({
      memberId,
      memberAssignment: kafkajs.AssignerProtocol.MemberAssignment.encode({
        version: this.version,
        assignment,
        userData: Buffer.alloc(0),
      }),
    }))
  },
})

export interface SubscribedMember {
  readonly memberId: string
  readonly topics: readonly string[]
}

type Share = Record<string, number[]>

/** Assigns every partition to one member that subscribes to its topic, in turns. */
export function spread(
  members: readonly SubscribedMember[],
  partitionsOf: (topic: string) => readonly number[],
): ReadonlyMap<string, Share> {
  const sorted = members.toSorted((a, b) => (a.memberId < b.memberId ? -1 : 1))
  const shares = new Map<string, Share>(sorted.map(({ memberId }) => [memberId, {}]))
  const topics = [...new Set(members.flatMap((member) => member.topics))].sort()
  let turn = 0
  for (const topic of topics) {
    const readers = sorted.filter((member) => member.topics.includes(topic))
    for (const partition of partitionsOf(topic).toSorted((a, b) => a - b)) {
      const share = shares.get(readers[turn++ % readers.length]?.memberId ?? '')
      if (share !== undefined) (share[topic] ??= []).push(partition)
    }
  }
  return shares
}
