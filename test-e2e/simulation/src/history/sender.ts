/** How an FSP sends a message to the hub: again and again, until it is answered. */
import type { HttpRequest } from '@causeway/http'
import { fspServer, type Network } from '../hub/network.ts'
import { chance, rest } from '../virtual/world.ts'
import type { Faults } from './faults.ts'
import type { SentMessage } from './record.ts'

/** After this time without an answer an FSP sends again. */
const answer_ms_max = 5_000
/** From an FSP to the hub, or back. */
export const way_ms_max = 20

export class Sender {
  readonly #network: () => Network | undefined
  readonly #faults: Pick<Faults, 'requestFate'>

  /** @param network that of the process that serves, if one does */
  constructor(network: () => Network | undefined, faults: Pick<Faults, 'requestFate'>) {
    this.#network = network
    this.#faults = faults
  }

  /** Until the answer is another one than an error of the hub. */
  async send(sent: SentMessage, message: () => HttpRequest): Promise<void> {
    for (;;) {
      const status = await this.#try(message(), (ms) => sent.received_ms.push(ms))
      if (status !== undefined && status < 500 && status !== 429) {
        sent.status = status
        return
      }
      await rest(20 + chance().below(200))
    }
  }

  async sendOnce(message: () => HttpRequest): Promise<void> {
    await this.#try(message(), () => undefined)
  }

  /** Undefined: there is no answer. */
  async #try(request: HttpRequest, onReceived: (ms: number) => void): Promise<number | undefined> {
    await rest(chance().below(way_ms_max))
    const fate = this.#faults.requestFate(request)
    const network = this.#network()
    if (fate === 'LOST' || network === undefined) return undefined
    const answer = await Promise.race([
      network.receive(fspServer, request, onReceived),
      rest(answer_ms_max).then(() => undefined),
    ])
    return fate === 'ANSWER_LOST' ? undefined : answer?.status
  }
}
