/** Identifiers as FSPs send them: compared as sent, so only one spelling of each is accepted. */

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}'
const ulid = '[0-9A-HJKMNP-TV-Z]{26}'

/** Of every CorrelationId. */
export const correlationIdPattern = new RegExp(`^(?:${uuid}|${ulid})$`)

/**
 * A CorrelationId of any resource: a lower-case UUID of any version (1 to 8), or an upper-case ULID, which
 * Mojaloop's SDK makes by default. FSPIOP 7.2, RFC 9562.
 */
export function isCorrelationId(text: string): boolean {
  return correlationIdPattern.test(text)
}

const uuidShape = /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/

/**
 * A CorrelationId of the Third-Party API, whose own examples have no UUID version, and whose clients send
 * upper case as well.
 */
export function isThirdPartyId(text: string): boolean {
  return isCorrelationId(text) || uuidShape.test(text)
}
