/**
 * The FSP's bearer token: fetched at its first use, renewed before it expires. Concurrent callers
 * share one fetch. RFC 6749 4.4.
 */
import type { HubAnswer, Transport } from './transport.ts'

export interface TokenOptions {
  readonly clientId: string
  readonly clientSecret: string
}

/** A token, or the answer that the hub gave instead (undefined: none). */
export type Grant =
  | { readonly token: string }
  | { readonly token: undefined; readonly answer: HubAnswer | undefined }

export interface Tokens {
  current(): Promise<Grant>
  /** After the hub has refused this token: the one fetched since, or a new one. */
  insteadOf(refused: string): Promise<Grant>
}

interface Held {
  readonly token: string
  /** From this time on a new token is fetched in the background; times of Date.now. */
  readonly renew_at_ms: number
  readonly ends_at_ms: number
}

/** RFC 6749 lets a server leave it out. */
const life_s_usually = 60
/** Renewed this long before it expires, or after four fifths of a short life. */
const renewal_ms_max = 30_000
const retry_ms = 1_000

export function openTokens(transport: Transport, options: TokenOptions): Tokens {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: options.clientId,
    client_secret: options.clientSecret,
  })
  const body = Buffer.from(form.toString())
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
  }
  let held: Held | undefined
  let fetching: Promise<Grant> | undefined

  async function fetchOne(): Promise<Grant> {
    const answer = await transport.request({ method: 'POST', path: '/token', headers, body })
    const fetched = answer?.status === 200 ? tokenIn(answer.body, Date.now()) : undefined
    if (fetched !== undefined) {
      held = fetched
      return fetched
    }
    // While the current token is valid, a failed renewal is not retried with every message.
    if (held !== undefined) held = { ...held, renew_at_ms: Date.now() + retry_ms }
    return { token: undefined, answer: answer?.status === 200 ? undefined : answer }
  }

  function fetchShared(): Promise<Grant> {
    fetching ??= fetchOne().finally(() => (fetching = undefined))
    return fetching
  }

  return {
    async current() {
      const now_ms = Date.now()
      if (held === undefined || held.ends_at_ms <= now_ms) return fetchShared()
      if (held.renew_at_ms <= now_ms) void fetchShared()
      return held
    },
    async insteadOf(refused) {
      return held === undefined || held.token === refused ? fetchShared() : held
    },
  }
}

function tokenIn(body: Buffer, now_ms: number): Held | undefined {
  let json: { readonly access_token?: unknown; readonly expires_in?: unknown } | null
  try {
    json = JSON.parse(body.toString()) as typeof json
  } catch {
    return undefined
  }
  const token = json?.access_token
  if (typeof token !== 'string' || token === '') return undefined
  const given_s = json?.expires_in
  const life_ms = 1_000 * (typeof given_s === 'number' && given_s > 0 ? given_s : life_s_usually)
  const ends_at_ms = now_ms + life_ms
  return { token, ends_at_ms, renew_at_ms: ends_at_ms - Math.min(renewal_ms_max, life_ms / 5) }
}
