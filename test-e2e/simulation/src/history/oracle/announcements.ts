/** What the bus delivers about transfers, heard inside each process: each step is announced by one event. */
import { onBroadcast, type EventName } from '@causeway/events'
import type { HubProcess } from '../../hub/process.ts'

const ends = [
  'TransferCommittedFulfiled',
  'TransferRejectRequestProcessed',
  'TransferPrepareRequestTimedout',
  'TransferFulfilComitRequestTimedout',
  'TransferPrepareLiquidityCheckFailed',
  'TransferPrepareInvalidPayerCheckFailed',
  'TransferPrepareInvalidPayeeCheckFailed',
] as const satisfies readonly EventName[]

export class Announcements {
  /** The ids of the events by transfer and step. */
  readonly #heard = new Map<string, Set<string>>()

  async listen({ bus }: HubProcess): Promise<void> {
    await onBroadcast(bus, 'simulation', ['TransferPrepared', ...ends], {
      onEvents: (events) => {
        for (const { name, id, payload } of events) {
          const step = name === 'TransferPrepared' ? 'reserved' : 'final'
          const key = `${payload.transferId} was announced as ${step}`
          this.#heard.set(key, (this.#heard.get(key) ?? new Set()).add(id))
        }
      },
      onMissed: () => undefined,
    })
  }

  /** What is wrong with what was heard since this was last asked. */
  takeWrong(): readonly string[] {
    const wrong = [...this.#heard].filter(([, ids]) => ids.size > 1)
    this.#heard.clear()
    return wrong.map(([what, ids]) => `${what} by ${ids.size} events`)
  }
}
