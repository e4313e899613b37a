/**
 * Ids that a repeat of a step makes again: UUIDv5 (RFC 9562, section 5.5). A payment has a dozen of
 * them, and the `uuid` package takes four times as long for one as `hash` of Node.js.
 */
import { hash } from 'node:crypto'

const namespace = Buffer.from('5b0a62a06c1c4c339d0e3e6d2f7f6a51', 'hex')
const variants = '89ab'

/** The id of what is derived from the cause; `part` distinguishes several of one name. */
export function derivedId(causeId: string, name: string, part = ''): string {
  const hex = hash('sha1', Buffer.concat([namespace, Buffer.from(`${causeId}/${name}/${part}`)]))
  const variant = variants.charAt(Number.parseInt(hex.charAt(16), 16) % variants.length)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
