/** FSPs outside of the hub: they repeat what was not answered, and answer as planned. They never forget. */
import type { OutgoingMessage } from '@causeway/bus'
import { onEvents, type DomainEvent } from '@causeway/events'
import type { HubProcess } from '../hub/process.ts'
import { chance, now_ms, ownedBy, rest } from '../virtual/world.ts'
import { announced, answerOf, endIn, prepareOf } from './messages.ts'
import type { Answer } from './plan.ts'
import type { Sent, TransferRecord } from './record.ts'

export interface Fsps {
  /** Begins to hear what a process announces. */
  listen(process: HubProcess): Promise<void>
  /** The transfers of the next history. */
  begin(records: ReadonlyMap<string, TransferRecord>): void
  pay(record: TransferRecord): Promise<void>
}

/** After this time without an answer an FSP sends again. */
const answer_ms_max = 5_000

export function openFsps(process: () => HubProcess | undefined): Fsps {
  let records: ReadonlyMap<string, TransferRecord> = new Map()

  function hear(event: DomainEvent<(typeof announced)[number]>): void {
    const record = records.get(event.payload.transferId)
    if (record === undefined) return
    const end = endIn(event)
    if (end === undefined) {
      record.asked.add(event.id)
      if (record.asked.size === 1) ownedBy(undefined, () => void answerAll(record))
      return
    }
    record.ends.set(event.id, end)
    record.ended_ms ??= now_ms()
  }

  /** Until it is durable. A try that was not answered may be durable as well. */
  async function send(message: (received_ms: number) => OutgoingMessage): Promise<void> {
    for (;;) {
      const edge = process()
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

  async function answerAll(record: TransferRecord): Promise<void> {
    await rest(chance().below(50))
    for (const answer of record.planned.answers) {
      if (answer === 'SILENT') continue
      if (answer === 'LATE') await rest(record.expires_ms - now_ms() - 200 + chance().below(2_000))
      const sent: Sent = { kind: kindOf(answer), tries_ms: [], isAccepted: false }
      record.sent.push(sent)
      await send((received_ms) => {
        sent.tries_ms.push(received_ms)
        return answerOf(record, sent.kind, answer === 'RESERVE', received_ms)
      })
      sent.isAccepted = true
      await rest(chance().below(300))
    }
  }

  const prepare = (record: TransferRecord, isOther: boolean) =>
    send((received_ms) => {
      record.prepares_ms.push(received_ms)
      return prepareOf(record, received_ms, isOther)
    })

  return {
    async listen({ bus }) {
      await onEvents(bus, 'fspiop-api', announced, (events) => {
        for (const event of events) hear(event)
        return Promise.resolve()
      })
    },
    begin: (next) => void (records = next),
    async pay(record) {
      await rest(record.planned.begins_ms)
      await prepare(record, false)
      record.isAccepted = true
      for (const again of record.planned.again) {
        await rest(chance().below(500))
        await prepare(record, again === 'OTHER')
      }
    },
  }
}

function kindOf(answer: Exclude<Answer, 'SILENT'>): Sent['kind'] {
  if (answer === 'REJECT' || answer === 'WRONG') return answer
  return 'FULFIL'
}
