/** The hub's ping: it shows that both ways are open, and that each side takes the other's signature. */
import { elements } from '@causeway/fspiop'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type Ended, openQuestions } from './asking.ts'
import type { HubLink } from './hub/link.ts'
import { bodyOf, type Hearers, idOf } from './inbound.ts'
import { writeMessage } from './message.ts'

export type PingResult = Ended<Pong>

interface Pong {
  readonly state: 'ANSWERED'
  /** When the hub had the ping, ISO 8601. */
  readonly receivedAt: string
}

export interface PingOptions {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  readonly silence_ms: number
  readonly patience_ms: number
}

export interface Pings {
  ping(): Promise<PingResult>
  readonly hearers: Hearers
  close(): void
}

const putPings = z.compile(z.looseObject({ receivedAt: elements.dateTime }))

export function openPings({ name, hubName, link, silence_ms, patience_ms }: PingOptions): Pings {
  const questions = openQuestions<undefined, Pong>(link, silence_ms)
  return {
    ping() {
      const pingId = randomUUID()
      const request = () => writeMessage('POST', '/pings', { from: name }, { pingId })
      const until_ms = Date.now() + patience_ms
      return questions.ask({
        key: pingId,
        request: request(),
        until_ms,
        reminder: request,
        deadline_ms: until_ms,
        context: undefined,
      })
    },
    hearers: {
      'PUT /pings/{ID}'(message) {
        const reading = bodyOf(putPings, message)
        if (!reading.ok) return { disbelieved: reading.detail }
        if (message.source !== hubName) return { disbelieved: `${message.source} is not the hub` }
        questions.answer(idOf(message), { state: 'ANSWERED', receivedAt: reading.value.receivedAt })
        return 'HEARD'
      },
    },
    close: () => questions.close(),
  }
}
