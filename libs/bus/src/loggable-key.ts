/** Keys of messages in the log: an id of a payment as it is, and nothing of what may name a person. */

const id = /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9A-HJKMNP-TV-Z]{26})$/i

/** Undefined, and so not logged, for a key that is neither a UUID nor a ULID. */
export function loggableKey(key: string | undefined): string | undefined {
  return key !== undefined && id.test(key) ? key : undefined
}
