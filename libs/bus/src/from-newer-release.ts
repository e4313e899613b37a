/**
 * What a newer release has published and this one cannot understand: a type, a value or a reason
 * that it does not know. It is neither skipped nor a dead letter: it waits for a process that
 * understands it.
 */
export class FromNewerRelease extends Error {
  override readonly name = 'FromNewerRelease'
}

/** Whether the error, or what it was made of, is one. */
export function isFromNewerRelease(error: unknown): boolean {
  if (error instanceof FromNewerRelease) return true
  return error instanceof Error && error.cause !== undefined && isFromNewerRelease(error.cause)
}
