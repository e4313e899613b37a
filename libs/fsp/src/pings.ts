/** The hub's ping: it checks both directions, and that each side accepts the other's signature. */
import { elements } from '@causeway/fspiop'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type TimedResult, openPendingRequests } from './pending-requests.ts'
import type { HubLink } from './hub/link.ts'
import { bodyOf, type InboundHandlers, idOf } from './inbound.ts'
import { writeMessage } from './message.ts'

export type PingResult = TimedResult<Pong>

interface Pong {
  readonly state: 'ANSWERED'
  /** When the hub received the ping, ISO 8601. */
  readonly receivedAt: string
}

export interface PingOptions {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  readonly resendAfter_ms: number
  readonly answerTimeout_ms: number
}

export interface Pings {
  ping(): Promise<PingResult>
  readonly handlers: InboundHandlers
  close(): void
}

const putPings = z.compile(z.looseObject({ receivedAt: elements.dateTime }))

export function openPings({
  name,
  hubName,
  link,
  resendAfter_ms,
  answerTimeout_ms,
}: PingOptions): Pings {
  const pending = openPendingRequests<undefined, Pong>(link, resendAfter_ms)
  return {
    ping() {
      const pingId = randomUUID()
      const request = () => writeMessage('POST', '/pings', { from: name }, { pingId })
      const until_ms = Date.now() + answerTimeout_ms
      return pending.send({
        key: pingId,
        request: request(),
        until_ms,
        reminder: request,
        deadline_ms: until_ms,
        context: undefined,
      })
    },
    handlers: {
      'PUT /pings/{ID}'(message) {
        const reading = bodyOf(putPings, message)
        if (!reading.ok) return { rejected: reading.detail }
        if (message.source !== hubName) return { rejected: `${message.source} is not the hub` }
        pending.answer(idOf(message), { state: 'ANSWERED', receivedAt: reading.value.receivedAt })
        return 'HANDLED'
      },
    },
    close: () => pending.close(),
  }
}
