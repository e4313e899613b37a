/**
 * The connection to the hub: each message is signed once and sent with the current token. What the
 * hub cannot take is sent again, byte for byte, until it is answered or has expired.
 */
import type { Outgoing } from '../message.ts'
import type { Seal } from './signing.ts'
import type { Tokens } from './token.ts'
import type { HubAnswer, Transport } from './transport.ts'

export interface HubLink {
  /** One attempt; undefined: no answer, the message may or may not have arrived. */
  send(message: Outgoing): Promise<HubAnswer | undefined>
  /**
   * Tries again while the hub cannot be reached or has no capacity (5xx but 501), with growing
   * pauses, until `until_ms` (of Date.now). Resolves with the last attempt's answer.
   */
  sendUntil(message: Outgoing, until_ms: number): Promise<HubAnswer | undefined>
  /** Aborts what is in flight and closes every connection. */
  close(): Promise<void>
}

export interface HubLinkParts {
  readonly transport: Transport
  readonly seal: Seal
  /** Undefined: the certificate identifies the sender, or nothing does. */
  readonly tokens: Tokens | undefined
}

const firstPause_ms = 50
const pause_ms_max = 2_000

export function openHubLink({ transport, seal, tokens }: HubLinkParts): HubLink {
  const pauses = new Set<() => void>()
  let closed = false

  const attempt = (message: Outgoing) =>
    tokens === undefined ? transport.request(message) : withToken(transport, tokens, message)

  return {
    async send(message) {
      return attempt(await seal(message))
    },
    async sendUntil(message, until_ms) {
      const bytes = await seal(message)
      let pause_ms = firstPause_ms
      for (;;) {
        const answer = await attempt(bytes)
        if (answer !== undefined && !mayPass(answer.status)) return answer
        if (closed || Date.now() + pause_ms >= until_ms) return answer
        await pause(pause_ms * (1 - Math.random() / 4), pauses)
        pause_ms = Math.min(pause_ms * 2, pause_ms_max)
      }
    },
    async close() {
      closed = true
      for (const end of pauses) end()
      await transport.close()
    },
  }
}

/** A token that the hub no longer accepts is replaced, once. */
async function withToken(
  transport: Transport,
  tokens: Tokens,
  message: Outgoing,
): Promise<HubAnswer | undefined> {
  const grant = await tokens.current()
  if (grant.token === undefined) return grant.answer
  const answer = await transport.request(bearing(message, grant.token))
  if (answer?.status !== 401) return answer
  const renewed = await tokens.insteadOf(grant.token)
  if (renewed.token === undefined) return renewed.answer
  return transport.request(bearing(message, renewed.token))
}

function bearing(message: Outgoing, token: string): Outgoing {
  return { ...message, headers: { ...message.headers, authorization: `Bearer ${token}` } }
}

/** Whether the same message may succeed later: the fault is the hub's or the network's. */
function mayPass(status: number): boolean {
  return status === 429 || (status >= 500 && status !== 501)
}

/** Ends early when the link is closed. */
function pause(ms: number, pauses: Set<() => void>): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      pauses.delete(end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    pauses.add(end)
  })
}
