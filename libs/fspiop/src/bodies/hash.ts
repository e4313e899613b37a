/**
 * Hashes of bodies that ignore the order of members and white space, so that a repeated request is
 * recognised even when the FSP's library serializes it differently.
 */
import { hash } from 'node:crypto'
import { canonicalJson } from './canonical-json.ts'

/** SHA-256 over the canonical JSON of a parsed body, base64url (43 characters). */
export function payloadHash(json: unknown): string {
  return hash('sha256', canonicalJson(json), 'base64url')
}
