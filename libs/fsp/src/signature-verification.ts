/**
 * Verifies the sender of a message: the hub's messages with the hub's keys, another FSP's with that
 * FSP's keys. An unverified message is rejected. FSPIOP (Signature) 4.
 */
import {
  readSignature,
  rsaAlgorithms,
  verifySignature,
  type ReceivedMessage,
} from '@causeway/fspiop'
import type { Keyring } from './keys.ts'

/** KEYS_UNAVAILABLE: the keys cannot be read now; the message may be sent again. */
export type SignatureVerification = 'VERIFIED' | 'KEYS_UNAVAILABLE' | { readonly rejected: string }

export type VerifySignature = (
  source: string,
  message: ReceivedMessage,
) => Promise<SignatureVerification>

const algorithms = [...rsaAlgorithms, 'ES256'] as const

/** Without a keyring every message counts as verified: the scheme must have agreed on that. */
export function verifyWith(keyring: Keyring | undefined): VerifySignature {
  if (keyring === undefined) return () => Promise.resolve('VERIFIED')
  return async (source, message) => {
    const header = message.headers['fspiop-signature']
    if (header === undefined || header === '') return unsigned(message)
    const parsed = readSignature(String(header), algorithms)
    if ('code' in parsed) return { rejected: parsed.detail }
    const keys = await keyring.keysOf(source, parsed.kid)
    if (keys === undefined) return 'KEYS_UNAVAILABLE'
    const refusal = verifySignature(parsed, message, keys, { now: new Date() })
    return refusal === undefined ? 'VERIFIED' : { rejected: refusal.detail }
  }
}

/** A message without a body is not signed. */
function unsigned({ method }: ReceivedMessage): SignatureVerification {
  return method === 'GET' || method === 'DELETE'
    ? 'VERIFIED'
    : { rejected: 'header fspiop-signature is missing' }
}
