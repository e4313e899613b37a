/**
 * A scheme in one process: the hub stand-in relays FSPs' messages byte for byte, knows whose
 * customer a number is, and answers for itself where a hub does. A test chooses which messages are
 * lost.
 */
import { errorInformation, signatureHeader } from '@causeway/fspiop'
import type { Fsp, Signing } from '../index.ts'
import {
  callbackHeaders,
  openHubStandIn,
  type HubStandIn,
  type StandInRequest,
} from './hub-stand-in.ts'

export interface Scheme {
  readonly hub: HubStandIn
  /** Messages reach the FSP from now on. */
  join(fsp: Pick<Fsp, 'name' | 'receive'>): void
  /** Messages no longer reach the FSP. */
  leave(name: string): void
  /** The FSPs' answers to relayed messages, in their order. */
  readonly statuses: readonly number[]
  /**
   * What is relayed from now on; undefined: nothing. By default every message is relayed unchanged.
   */
  passOn(pass: (message: StandInRequest) => StandInRequest | undefined): void
  stop(): Promise<void>
}

type StandInAnswer = { readonly path: string; readonly body: object }

export async function openScheme(signing?: Signing): Promise<Scheme> {
  const hub = await openHubStandIn()
  const fsps = new Map<string, Pick<Fsp, 'name' | 'receive'>>()
  const served = new Map<string, string>()
  const statuses: number[] = []
  let pass: (message: StandInRequest) => StandInRequest | undefined = (message) => message

  async function deliver(to: string, message: StandInRequest): Promise<void> {
    const { method, path, headers, body } = message
    const result = await fsps.get(to)?.receive({ method, target: path, headers, body })
    if (result !== undefined) statuses.push(result.status)
  }

  async function sendTo(to: string, { path, body }: StandInAnswer): Promise<void> {
    const bytes = Buffer.from(JSON.stringify(body))
    const resource = /^\/(\w+)/.exec(path)?.[1] ?? ''
    const headers = callbackHeaders(to, 'Hub', resource)
    await deliver(to, {
      method: 'PUT',
      path,
      headers: signing === undefined ? headers : await signed(signing, path, headers, bytes),
      body: bytes,
    })
  }

  /** The requests that the hub itself answers. */
  function answerTo({ method, path, headers, body }: StandInRequest): StandInAnswer | undefined {
    const source = String(headers['fspiop-source'])
    const [target = ''] = path.split('?')
    const [, resource, , party] = /^\/(\w+)(\/([^?]+))?/.exec(target) ?? []
    if (resource === 'pings') {
      const { pingId } = JSON.parse(body.toString()) as { pingId: string }
      return { path: `/pings/${pingId}`, body: { receivedAt: new Date().toISOString() } }
    }
    if (resource === 'services') return { path: target, body: { providers: ['bank'] } }
    if (resource === 'participants' && party !== undefined) {
      if (method === 'POST') served.set(party, source)
      else served.delete(party)
      return { path: target, body: method === 'POST' ? { fspId: source } : {} }
    }
    if (resource === 'parties' && method === 'GET' && party !== undefined && !served.has(party)) {
      return { path: `${target}/error`, body: { errorInformation: errorInformation('3204') } }
    }
    return undefined
  }

  hub.onTaken((message) => {
    const answer = answerTo(message)
    if (answer !== undefined) {
      void sendTo(String(message.headers['fspiop-source']), answer)
      return
    }
    const passed = pass(message)
    if (passed === undefined) return
    const [, party = ''] = /^\/parties\/([^?]+)/.exec(message.path) ?? []
    const named = redirected(message) ?? message.headers['fspiop-destination'] ?? served.get(party)
    void deliver(String(named), withoutAccept(passed))
  })

  /** The holder of a consent ends it, whatever destination the message names. */
  function redirected({ method, path }: StandInRequest): string | undefined {
    const isUnlinking = method === 'DELETE' && path.startsWith('/consents/')
    return isUnlinking && fsps.has('centralAuth') ? 'centralAuth' : undefined
  }

  return {
    hub,
    join: (fsp) => void fsps.set(fsp.name, fsp),
    leave: (name) => void fsps.delete(name),
    statuses,
    passOn: (next) => (pass = next),
    stop: () => hub.stop(),
  }
}

function withoutAccept(message: StandInRequest): StandInRequest {
  if (message.method !== 'PUT') return message
  const { accept: _accept, ...headers } = message.headers
  return { ...message, headers }
}

async function signed(
  signing: Signing,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
): Promise<Record<string, string>> {
  const signature = await signatureHeader({
    ...signing,
    method: 'PUT',
    uri: path,
    source: headers['fspiop-source'] ?? '',
    destination: headers['fspiop-destination'],
    date: headers['date'] ?? '',
    body,
  })
  const about = { 'fspiop-uri': path, 'fspiop-http-method': 'PUT' }
  return { ...headers, ...about, 'fspiop-signature': signature }
}
