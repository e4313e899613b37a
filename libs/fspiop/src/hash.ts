/**
 * Hashes of bodies that ignore the order of members and white space, so that a repeated request is
 * recognised even when the FSP's library serializes it differently.
 */
import { hash } from 'node:crypto'

const escapedPattern = /["\\\u0000-\u001f\ud800-\udfff]/

/** SHA-256 over the canonical JSON of a parsed body, base64url (43 characters). */
export function payloadHash(json: unknown): string {
  return hash('sha256', canonicalJson(json), 'base64url')
}

/** Members sorted by name (UTF-16 order, as RFC 8785), no white space; arrays keep their order. */
export function canonicalJson(json: unknown): string {
  if (typeof json === 'string') return quoted(json)
  if (typeof json !== 'object' || json === null) return JSON.stringify(json)
  if (Array.isArray(json)) return `[${json.map(canonicalJson).join()}]`
  const members = json as Readonly<Record<string, unknown>>
  let text = '{'
  for (const name of Object.keys(members).sort()) {
    if (text.length > 1) text += ','
    text += `${quoted(name)}:${canonicalJson(members[name])}`
  }
  return `${text}}`
}

/** Few texts need an escape, and the check costs less than `JSON.stringify`. */
function quoted(text: string): string {
  return escapedPattern.test(text) ? JSON.stringify(text) : `"${text}"`
}
