/** FSPs outside of the hub: they repeat what was not answered, and answer as planned. They never forget. */
import type { OutgoingMessage } from '@causeway/bus'
import { onEvents, type DomainEvent } from '@causeway/events'
import type { HubProcess } from '../hub/process.ts'
import { chance, now_ms, ownedBy, rest } from '../virtual/world.ts'
import { announced, answerOf, endIn, prepareOf } from './messages.ts'
import type { Answer } from './plan.ts'
import type { Sent, TransferRecord } from './record.ts'

/** After this time without an answer an FSP sends again. */
const answer_ms_max = 5_000

export class Fsps {
  readonly #process: () => HubProcess | undefined
  #records: ReadonlyMap<string, TransferRecord> = new Map()

  constructor(process: () => HubProcess | undefined) {
    this.#process = process
  }

  /** The transfers of the next history. */
  begin(records: readonly TransferRecord[]): void {
    this.#records = new Map(records.map((record) => [record.id, record]))
  }

  /** From now on they hear what the process announces. */
  async listen({ bus }: HubProcess): Promise<void> {
    await onEvents(bus, 'fspiop-api', announced, (events) => {
      for (const event of events) this.#hear(event)
      return Promise.resolve()
    })
  }

  async pay(record: TransferRecord): Promise<void> {
    await rest(record.planned.begins_ms)
    await this.#prepare(record, false)
    record.isAccepted = true
    for (const again of record.planned.again) {
      await rest(chance().below(500))
      await this.#prepare(record, again === 'OTHER')
    }
  }

  #hear(event: DomainEvent<(typeof announced)[number]>): void {
    const record = this.#records.get(event.payload.transferId)
    if (record === undefined) return
    const end = endIn(event)
    if (end === undefined) {
      record.asked.add(event.id)
      if (record.asked.size === 1) ownedBy(undefined, () => void this.#answerAll(record))
      return
    }
    record.ends.set(event.id, end)
    record.ended_ms ??= now_ms()
  }

  #prepare(record: TransferRecord, isOther: boolean): Promise<void> {
    return this.#send((received_ms) => {
      record.prepares_ms.push(received_ms)
      return prepareOf(record, received_ms, isOther)
    })
  }

  async #answerAll(record: TransferRecord): Promise<void> {
    await rest(chance().below(50))
    for (const answer of record.planned.answers) {
      if (answer === 'SILENT') continue
      if (answer === 'LATE') await rest(record.expires_ms - now_ms() - 200 + chance().below(2_000))
      const sent: Sent = { kind: kindOf(answer), tries_ms: [], isAccepted: false }
      record.sent.push(sent)
      await this.#send((received_ms) => {
        sent.tries_ms.push(received_ms)
        return answerOf(record, sent.kind, answer === 'RESERVE', received_ms)
      })
      sent.isAccepted = true
      await rest(chance().below(300))
    }
  }

  /** Until it is durable. A try that was not answered may be durable as well. */
  async #send(message: (received_ms: number) => OutgoingMessage): Promise<void> {
    for (;;) {
      const edge = this.#process()
      if (edge !== undefined) {
        const publishing = ownedBy(edge.owner, () => edge.bus.publish([message(now_ms())]))
        const isDurable = await Promise.race([
          publishing.then(
            () => true,
            () => false,
          ),
          rest(answer_ms_max).then(() => false),
        ])
        if (isDurable) return
      }
      await rest(20 + chance().below(200))
    }
  }
}

function kindOf(answer: Exclude<Answer, 'SILENT'>): Sent['kind'] {
  if (answer === 'REJECT' || answer === 'WRONG') return answer
  return 'FULFIL'
}
