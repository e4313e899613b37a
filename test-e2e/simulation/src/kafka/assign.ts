/** Shares partitions by the assigner that the hub gives to kafkajs. */
import kafkajs, { type Cluster as KafkaCluster, type PartitionAssigner } from 'kafkajs'
import type { Cluster } from './cluster.ts'
import type { Assign, Assignment, Member } from './group.ts'

/** Without an assigner its one member gets everything. */
export function assignBy(cluster: Cluster, make: PartitionAssigner | undefined): Assign {
  if (make === undefined) {
    return (members) => Promise.resolve(new Map(members.map((each) => [each, all(cluster, each)])))
  }
  const assigner = make({
    cluster: {
      addMultipleTargetTopics: () => Promise.resolve(),
      findTopicPartitionMetadata: (topic: string) =>
        cluster.partitions(topic).map(({ number }) => ({ partitionId: number })),
    } as unknown as KafkaCluster,
  } as Parameters<PartitionAssigner>[0])
  return async (members) => {
    const named = new Map(members.map((member, n) => [`member ${n}`, member]))
    const shares = await assigner.assign({
      members: [...named].map(([memberId, { topics }]) => ({
        memberId,
        memberMetadata: assigner.protocol({ topics: [...topics] }).metadata,
      })),
      topics: [],
    })
    return new Map(
      shares.flatMap(({ memberId, memberAssignment }) => {
        const member = named.get(memberId)
        const read = kafkajs.AssignerProtocol.MemberAssignment.decode(memberAssignment)
        return member === undefined ? [] : [[member, read?.assignment ?? {}] as const]
      }),
    )
  }
}

function all(cluster: Cluster, { topics }: Member): Assignment {
  return Object.fromEntries(
    topics.map((topic) => [topic, cluster.partitions(topic).map(({ number }) => number)]),
  )
}
