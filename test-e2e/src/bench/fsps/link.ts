/**
 * The FSPs of one process: each has its own key, server, certificate and connections to the hub. Messages
 * are signed ahead of their time: an RSA signature takes an FSP more CPU than the hub takes for the
 * signed message, and here both share the same cores.
 */
import { signatureHeader } from '@causeway/fspiop'
import { createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { Agent } from 'undici'
import { connectionsOf, headersOf, serveCallbacks, type Inbound } from '../../fsp/connection.ts'
import type { Open, OpenedFsp } from './messages.ts'

export interface BenchMessage {
  /** Numbers of FSPs; a lookup and a registration have no destination. */
  readonly from: number
  readonly to: number | undefined
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly body: Buffer | undefined
  /** FSPIOP-Signature; undefined: not signed. */
  signature: string | undefined
}

export interface HubLink {
  /** Opens every connection. */
  warm(): Promise<void>
  /** No effect on a message without a body. */
  sign(message: BenchMessage): Promise<void>
  /**
   * Resolves with whether the hub has accepted the message or was too busy for it; rejects with the
   * status and body of any other refusal.
   */
  send(message: BenchMessage): Promise<'TAKEN' | 'BUSY'>
  /** Resolves with the status that the hub answers with; `source` replaces the sender's name. */
  statusOf(message: BenchMessage, source?: string): Promise<number>
}

export interface OpenFsps {
  readonly fsps: readonly OpenedFsp[]
  /** @param hubUrl of an edge, or of several with commas between them: each FSP uses one */
  connect(hubUrl: string): HubLink
}

export const kid = 'bench'
/** Connections of one FSP to the hub; fewer for each where there are many FSPs. */
const connections_max = 64
const connectionsOfAll = 512
/** Where there are many FSPs, several have the same key: generating one takes long. */
const keys_max = 8

const newKeyPair = promisify(generateKeyPair)

/** The servers answer a message at once; what follows from it happens after that. */
export async function openFsps(
  { names, certified }: Pick<Open, 'names' | 'certified'>,
  onMessage: (message: Inbound, at_ms: number) => void,
): Promise<OpenFsps> {
  const keys = await newKeys(names.length)
  const onInbound = (message: Inbound, answer: (status: number) => void) => {
    const at_ms = performance.now()
    answer(message.method === 'PUT' ? 200 : 202)
    onMessage(message, at_ms)
  }
  const servers = await Promise.all(names.map((_, n) => serveCallbacks(certified[n], onInbound)))
  return {
    fsps: servers.map(({ url }, n) => ({ url, publicKey: publicPem(itemAt(keys, n)) })),
    connect(hubUrl) {
      const share = Math.ceil(connectionsOfAll / names.length)
      const connections = Math.max(1, Math.min(connections_max, share))
      const urls = hubUrl.split(',')
      const ends = names.map((_, n) => ({
        agent: connectionsOf(certified[n], connections),
        origin: urls[n % urls.length] ?? hubUrl,
      }))
      return linkOf({ names, keys, ends, connections, date: new Date().toUTCString() })
    },
  }
}

interface LinkParts {
  readonly names: readonly string[]
  readonly keys: readonly KeyObject[]
  readonly ends: readonly { readonly agent: Agent; readonly origin: string }[]
  readonly connections: number
  /** The header Date of every message. */
  readonly date: string
}

function linkOf({ names, keys, ends, connections, date }: LinkParts): HubLink {
  const nameOf = (n: number | undefined) => (n === undefined ? undefined : names[n])

  function request(message: BenchMessage, source = names[message.from] ?? '') {
    const { from, to, method, path, body, signature } = message
    const { agent, origin } = itemAt(ends, from)
    const isSigned = signature !== undefined
    const headers = headersOf({ method, path, source, destination: nameOf(to), date, isSigned })
    if (isSigned) headers['fspiop-signature'] = signature
    return agent.request({ origin, method, path, headers, body: body ?? null })
  }

  return {
    async warm() {
      for (const { agent, origin } of ends) {
        // A page that every hub serves at no cost.
        const path = '/.well-known/jwks.json'
        const read = () => agent.request({ origin, method: 'GET', path })
        const answers = await Promise.all(Array.from({ length: connections }, read))
        await Promise.all(answers.map(({ body }) => body.dump()))
      }
    },
    async sign(message) {
      const { method, path: uri, from, to, body } = message
      if (body === undefined) return
      const [source = '', destination] = [names[from], nameOf(to)]
      const key = itemAt(keys, from)
      const signed = { method, uri, source, destination, date, body }
      message.signature = await signatureHeader({ alg: 'RS256', kid, key, ...signed })
    },
    async send(message) {
      const { statusCode, body } = await request(message)
      if (statusCode <= 202) {
        await body.dump()
        return 'TAKEN'
      }
      const text = await body.text()
      if (statusCode === 503 && text.includes('"errorCode":"2005"')) return 'BUSY'
      throw new Error(`${statusCode} ${text}`)
    },
    async statusOf(message, source) {
      const { statusCode, body } = await request(message, source)
      await body.dump()
      return statusCode
    },
  }
}

async function newKeys(fsps: number): Promise<readonly KeyObject[]> {
  const make = async () => (await newKeyPair('rsa', { modulusLength: 2_048 })).privateKey
  const made = await Promise.all(Array.from({ length: Math.min(fsps, keys_max) }, make))
  return Array.from({ length: fsps }, (_, n) => itemAt(made, n % made.length))
}

function publicPem(key: KeyObject): string {
  return createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString()
}

function itemAt<Item>(items: readonly Item[], n: number): Item {
  const item = items[n]
  if (item === undefined) throw new Error(`there is no FSP ${n}`)
  return item
}

export function messageOf(
  head: Omit<BenchMessage, 'body' | 'signature'>,
  body?: object,
): BenchMessage {
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
  return { ...head, body: bytes, signature: undefined }
}

/** The id with which a body begins: `{"quoteId":"…`, `{"transferId":"…`. */
export function idIn(body: Buffer): string {
  const start = body.indexOf('":"') + 3
  return body.toString('latin1', start, start + 36)
}
