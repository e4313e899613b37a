/**
 * Classifies failures of PostgreSQL: every failure of a connection is an outage, and so are
 * statements that the server could not execute for a reason outside of them.
 */
import { isNativeError } from 'node:util/types'
import { Outage, outageIn, type OutageKind } from '@causeway/process'

const sqlStatesOfOutages = [
  /^08/, // connection
  /^57P0/, // shut down, crashed, starting up
  /^57014$/, // statement_timeout
  /^55P03$/, // lock_timeout
  /^25P03$/, // idle_in_transaction_session_timeout
  /^25006$/, // the connection ended up on a standby
  /^53/, // disk, memory, connections
  /^58/, // I/O of the server
  /^40001$/, // serialization failure
  /^40P01$/, // deadlock
] as const

/** Codes of a server that responds and refuses the client: login, database, schema, rights. */
const sqlStatesOfRefusals = /^(28|3D|3F|42501)/

/** The fields of a PostgreSQL error in addition to its message. */
interface ServerError extends Error {
  readonly code: string
  /** ERROR ends the statement; FATAL and PANIC end the connection. */
  readonly severity: string
  /** The function in the server's source that raised it. */
  readonly routine?: string
}

/** A table has changed under a prepared statement; a new connection prepares it again. */
const planIsOutdated = { code: '0A000', routine: 'RevalidateCachedQuery' } as const

/** As the caller of a statement gets it: an `Outage`, or the error as it is. */
export function failureOf(error: unknown): unknown {
  if (!isNativeError(error) || outageIn(error) !== undefined) return error
  return isOfWork(error) ? error : new Outage(error.message, { cause: error })
}

function isOfWork(error: Error): boolean {
  if (!isServerError(error)) return false
  const { code, severity, routine } = error
  return (
    severity === 'ERROR' &&
    !sqlStatesOfOutages.some((state) => state.test(code)) &&
    !(code === planIsOutdated.code && routine === planIsOutdated.routine)
  )
}

/**
 * A failure before there is a session (connecting, TLS, login, a missing role or database) is not caused
 * by any work, whatever its code.
 */
export async function connecting<T>(connect: () => Promise<T>): Promise<T> {
  try {
    return await connect()
  } catch (error) {
    if (!isNativeError(error) || outageIn(error) !== undefined) throw error
    throw new Outage(error.message, { cause: error, kind: kindOf(error) })
  }
}

function kindOf(error: Error): OutageKind {
  if (isServerError(error)) return sqlStatesOfRefusals.test(error.code) ? 'REFUSED' : 'AWAY'
  const { code, syscall } = error as { readonly code?: unknown; readonly syscall?: unknown }
  // Errors of the network name the system call; all others with a code are of TLS.
  const isOfNetwork = syscall !== undefined || 'errors' in error
  return typeof code === 'string' && !isOfNetwork && !networkCodes.has(code) ? 'REFUSED' : 'AWAY'
}

const networkCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
])

/** Whether the whole transaction may simply run again: deadlock or serialization failure. */
export function isConflict(error: unknown): boolean {
  const code = sqlState(error)
  return code === '40P01' || code === '40001'
}

/** The five characters PostgreSQL gave the error, if it came from PostgreSQL. */
export function sqlState(error: unknown): string | undefined {
  return serverErrorIn(error)?.code
}

/** An ERROR undoes its statement for certain; a FATAL ends the connection and may follow its execution. */
export function wasRefused(error: unknown): boolean {
  return serverErrorIn(error)?.severity === 'ERROR'
}

function serverErrorIn(error: unknown): ServerError | undefined {
  if (!isNativeError(error)) return undefined
  if (isServerError(error)) return error
  return error instanceof Outage ? serverErrorIn(error.cause) : undefined
}

function isServerError(error: Error): error is ServerError {
  return 'severity' in error && 'code' in error && typeof error.code === 'string'
}
