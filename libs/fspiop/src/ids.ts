/** Identifiers as FSPs send them: compared as sent, so only one spelling of each is accepted. */

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const ulidPattern = /^[0-9A-HJKMNP-TV-Z]{26}$/

/** A lower-case UUID of any version (1 to 8). FSPIOP 7.2, RFC 9562. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text)
}

/** The id of a transfer or a quote: a UUID, or an upper-case ULID, which some FSPs send. */
export function isCorrelationId(text: string): boolean {
  return uuidPattern.test(text) || ulidPattern.test(text)
}

const uuidShape = /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/

/** The Third-Party API's own examples have no UUID version, and existing clients send upper case. */
export function isUuidShaped(text: string): boolean {
  return uuidShape.test(text)
}
