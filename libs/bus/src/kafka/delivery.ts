/** A record on its way to a group. */
import type { KafkaMessage } from 'kafkajs'
import type { Message, Subscription } from '../event-bus.ts'
import type { AssignedPartition } from './members/assigned-partitions.ts'
import { attributes, headerText, keyOf, toMessage } from './record.ts'

export interface Delivery {
  readonly assigned: AssignedPartition
  readonly offset: number
  /** Its name in the catalogue. */
  readonly topic: string
  readonly key: string
  /** undefined when the record has none. */
  readonly type: string | undefined
  readonly bytes: number
  /** Whether it is a dead letter that is delivered again. */
  readonly isReplay: boolean
  readonly record: KafkaMessage
  /** Counts its batch and the background work after it. */
  unfinished: number
}

const overhead_bytes = 64

export function deliveryOf(
  assigned: AssignedPartition,
  topic: string,
  record: KafkaMessage,
): Delivery {
  const { headers, key, value } = record
  let bytes = overhead_bytes + (value?.length ?? 0)
  for (const name in headers) {
    const header = headers[name]
    if (header !== undefined && !Array.isArray(header)) bytes += header.length
  }
  return {
    assigned,
    offset: Number(record.offset),
    topic,
    key: keyOf(key),
    type: headerText(headers, attributes.type),
    bytes,
    isReplay: headers?.[attributes.replayFor] !== undefined,
    record,
    unfinished: 1,
  }
}

/** 'unknown': published by a newer release. */
export type Handling = 'taken' | 'passed over' | 'unknown'

/** Whether the group takes it: its own types only, and of replays only its own. */
export function handlingOf(
  { type, isReplay, record }: Delivery,
  { group, types, known }: Pick<Subscription, 'group' | 'types' | 'known'>,
): Handling {
  // A replay of an unknown type stays a dead letter.
  if (isReplay && headerText(record.headers, attributes.replayFor) !== group) return 'passed over'
  // Without a type it cannot be read, so it becomes a dead letter.
  if (type === undefined || types.has(type)) return 'taken'
  return isReplay || known?.has(type) !== false ? 'passed over' : 'unknown'
}

/**
 * The message with its payload checked; throws when it cannot be read. A message of a partition that was
 * lost is not processed, so it need not be readable.
 */
export function openDelivery(
  { topic, record, assigned, key, type = '' }: Delivery,
  read: (type: string, json: unknown) => unknown,
): Message {
  if (assigned.isLost) {
    const unread = { source: '', time: '', payload: undefined, headers: {}, maybeDuplicate: true }
    return { id: '', topic, key, type, ...unread }
  }
  const message = toMessage(topic, record)
  return { ...message, payload: read(message.type, message.payload) }
}
