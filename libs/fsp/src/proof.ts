/**
 * Whether a message is from whom it says: the hub's own by the hub's keys, another FSP's by that FSP's.
 * What cannot be proven is not believed. FSPIOP (Signature) 4.
 */
import {
  readSignature,
  rsaAlgorithms,
  verifySignature,
  type ReceivedMessage,
} from '@causeway/fspiop'
import type { Keyring } from './keys.ts'

/** NOT_NOW: the keys cannot be told at the moment; the message may come again. */
export type Proof = 'PROVEN' | 'NOT_NOW' | { readonly disbelieved: string }

export type Prove = (source: string, message: ReceivedMessage) => Promise<Proof>

const algorithms = [...rsaAlgorithms, 'ES256'] as const

/** Without a keyring every message counts as proven: the scheme has to agree on that. */
export function proveWith(keyring: Keyring | undefined): Prove {
  if (keyring === undefined) return () => Promise.resolve('PROVEN')
  return async (source, message) => {
    const header = message.headers['fspiop-signature']
    if (header === undefined || header === '') return unsigned(message)
    const parsed = readSignature(String(header), algorithms)
    if ('code' in parsed) return { disbelieved: parsed.detail }
    const keys = await keyring.keysOf(source, parsed.kid)
    if (keys === undefined) return 'NOT_NOW'
    const refusal = verifySignature(parsed, message, keys, { now: new Date() })
    return refusal === undefined ? 'PROVEN' : { disbelieved: refusal.detail }
  }
}

/** What has no body that could be changed is not signed. */
function unsigned({ method }: ReceivedMessage): Proof {
  return method === 'GET' || method === 'DELETE'
    ? 'PROVEN'
    : { disbelieved: 'header fspiop-signature is missing' }
}
