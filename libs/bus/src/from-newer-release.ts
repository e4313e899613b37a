/**
 * A message of a newer release with a type, a value or a reason that this release does not know. It is
 * neither skipped nor a dead letter: it waits for a process that understands it.
 */
export class FromNewerRelease extends Error {
  override readonly name = 'FromNewerRelease'
}

/** Whether the error or one of its causes is one. */
export function isFromNewerRelease(error: unknown): boolean {
  if (error instanceof FromNewerRelease) return true
  return error instanceof Error && error.cause !== undefined && isFromNewerRelease(error.cause)
}
