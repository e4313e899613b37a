/**
 * Sends all records of the process to Kafka: one send is in progress at a time, the calls that arrive
 * meanwhile form the next, and the queue is bounded.
 */
import { Outage } from '@causeway/process'
import type { Producer } from './producer.ts'
import type { OutgoingRecord } from '../record.ts'

export interface Sending {
  /** Resolves when all in-sync replicas have all of it; rejects when some of it may be missing. */
  readonly settled: Promise<void>
  /** Withdraws the call if it is not being sent yet: it is then rejected as an outage. */
  withdraw(): void
}

export interface Sender {
  /** The records of one call keep their order. Rejects as an outage when too many wait already. */
  send(records: readonly OutgoingRecord[]): Sending
  /**
   * Milliseconds since anything was settled; undefined when nothing waits.
   */
  progress(): number | undefined
  /** Resolves when nothing waits any more. */
  stop(): Promise<void>
}

interface PendingSend {
  readonly records: readonly OutgoingRecord[]
  readonly bytes: number
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

const batch_records_max = 1_000
/** Limit for one partition in one send: the message size that the topics are created with. */
const batch_bytes_max = 2 ** 20
const queued_records_max = 20_000
const queued_bytes_max = 64 * 2 ** 20

export function openSender(producer: Producer): Sender {
  const queue = openQueue()
  let isSending = false
  let progressed_ms = 0
  let onIdle: (() => void) | undefined

  async function sendAll(): Promise<void> {
    for (let calls = queue.take(); calls.length > 0; calls = queue.take()) {
      try {
        const records = calls.flatMap((call) => call.records)
        for (const slice of slices(records)) await producer.send(slice)
        for (const { resolve } of calls) resolve()
      } catch (error) {
        for (const { reject } of calls) reject(error)
      }
      progressed_ms = performance.now()
    }
    isSending = false
    onIdle?.()
  }

  function begin(): void {
    if (isSending) return
    isSending = true
    progressed_ms = performance.now()
    // All calls of this turn of the event loop are sent together.
    setImmediate(() => void sendAll())
  }

  return {
    send(records) {
      let call: PendingSend | undefined
      const settled = new Promise<void>((resolve, reject) => {
        const bytes = records.reduce((sum, record) => sum + record.bytes, 0)
        call = { records, bytes, resolve, reject }
        if (records.length === 0) resolve()
        else if (queue.push(call)) begin()
        else reject(new Outage('too many messages wait for Kafka already'))
      })
      return {
        settled,
        withdraw() {
          if (call !== undefined && queue.remove(call)) {
            call.reject(new Outage('Kafka acknowledged no message in time'))
          }
        },
      }
    },
    progress: () => (isSending ? performance.now() - progressed_ms : undefined),
    async stop() {
      if (isSending) await new Promise<void>((resolve) => (onIdle = resolve))
      await producer.stop()
    },
  }
}

/** The calls that wait for the next send. */
function openQueue() {
  let calls: PendingSend[] = []
  let records = 0
  let bytes = 0

  function gone(taken: readonly PendingSend[]): void {
    for (const call of taken) {
      records -= call.records.length
      bytes -= call.bytes
    }
  }

  return {
    /** Whether there was room; with an empty queue a call of any size is taken. */
    push(call: PendingSend): boolean {
      const isFull =
        records + call.records.length > queued_records_max || bytes + call.bytes > queued_bytes_max
      if (isFull && calls.length > 0) return false
      calls.push(call)
      records += call.records.length
      bytes += call.bytes
      return true
    },
    /** The calls of the next send. A call is not split: one that exceeds the limit is sent alone. */
    take(): readonly PendingSend[] {
      let count = 0
      let taken_records = 0
      let taken_bytes = 0
      for (const call of calls) {
        taken_records += call.records.length
        taken_bytes += call.bytes
        const isMuch = taken_records > batch_records_max || taken_bytes > batch_bytes_max
        if (count > 0 && isMuch) break
        count++
      }
      const taken = calls.slice(0, count)
      calls = calls.slice(count)
      gone(taken)
      return taken
    },
    /** Whether the call was still waiting. */
    remove(call: PendingSend): boolean {
      const at = calls.indexOf(call)
      if (at < 0) return false
      calls.splice(at, 1)
      gone([call])
      return true
    },
  }
}

function slices(records: readonly OutgoingRecord[]): readonly (readonly OutgoingRecord[])[] {
  const found: OutgoingRecord[][] = []
  let last: OutgoingRecord[] = []
  let bytes = 0
  for (const record of records) {
    bytes += record.bytes
    if (last.length === batch_records_max || (last.length > 0 && bytes > batch_bytes_max)) {
      found.push(last)
      last = []
      bytes = record.bytes
    }
    last.push(record)
  }
  return last.length === 0 ? found : [...found, last]
}
