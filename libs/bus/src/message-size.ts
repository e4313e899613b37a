/** The bound of a message: what no broker takes, both engines refuse at the publisher. */

/**
 * In bytes, headers included. A received body has up to 5 MiB, and the fields read from it may take as
 * much again.
 */
export const message_bytes_max = 12 * 2 ** 20

/** Throws when a message of that size cannot be carried: a bug of the publisher. */
export function checkSize(topic: string, bytes: number): void {
  if (bytes > message_bytes_max) {
    throw new Error(`a message of ${bytes} bytes to ${topic}: the limit is ${message_bytes_max}`)
  }
}
