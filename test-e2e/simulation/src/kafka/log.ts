/** The log of the simulated Kafka: topics of partitions, and what is appended to them. */
import { now_ms } from '../virtual/world.ts'

export interface LogRecord {
  readonly offset: number
  /** When it was appended, by the clock of the brokers, which is right. */
  readonly at_ms: number
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: Readonly<Record<string, Buffer>>
}

/** A record before it has an offset. */
export type UnloggedRecord = Omit<LogRecord, 'offset' | 'at_ms'>

export class Partition {
  readonly topic: string
  readonly number: number
  #records: LogRecord[] = []
  #low = 0

  constructor(topic: string, number: number) {
    this.topic = topic
    this.number = number
  }

  /** The offset of the oldest record. */
  get low(): number {
    return this.#low
  }

  /** The offset of the next record. */
  get high(): number {
    return this.#low + this.#records.length
  }

  append(sent: UnloggedRecord): void {
    this.#records.push({ ...sent, offset: this.high, at_ms: now_ms() })
  }

  /** From that offset on. */
  read(offset: number, count_max: number): readonly LogRecord[] {
    const from = Math.max(offset - this.#low, 0)
    return this.#records.slice(from, from + count_max)
  }

  /** The offset of the first record that was appended then or later. */
  offsetAt(at_ms: number): number {
    const index = this.#records.findIndex((record) => record.at_ms >= at_ms)
    return index < 0 ? this.high : this.#low + index
  }

  deleteBefore(at_ms: number): void {
    const count = this.offsetAt(at_ms) - this.#low
    this.#records.splice(0, count)
    this.#low += count
  }
}

export function nameOf(topic: string, partition: number): string {
  return `${topic} ${partition}`
}
