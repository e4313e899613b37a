/**
 * What is an outage: a failure that says nothing about the work itself, so that the same work may
 * succeed when it is repeated. Everything else is a bug or poison, and repeating it changes nothing.
 */
import { isNativeError } from 'node:util/types'

const sqlStatesOfOutages = [
  /^08/, // connection
  /^57P0/, // shut down, crashed, starting up
  '57014', // statement_timeout
  '55P03', // lock_timeout
  '25P03', // idle_in_transaction_session_timeout
  '25006', // the connection ended up on a standby
  /^53/, // disk, memory, connections
  /^58/, // I/O of the server
  '40001', // serialization failure
  '40P01', // deadlock
] as const

const systemCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOSPC',
  'EMFILE',
  'ENFILE',
])

/** DEADLINE_EXCEEDED and UNAVAILABLE of gRPC. */
const grpcCodes: ReadonlySet<unknown> = new Set([4, 14])

/**
 * The PostgreSQL client tells these by their text alone, and PostgreSQL the last one: a table has
 * changed under a prepared statement, which a new connection prepares anew.
 */
const messages =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|timeout exceeded when trying to connect|timeout expired|cached plan must not change)/

/** Whether work that failed with this error may be repeated as it is. */
export function isOutage(error: unknown): boolean {
  if (!isNativeError(error)) return false
  if (error instanceof AggregateError && error.errors.some(isOutage)) return true
  const { code, syscall } = error as { readonly code?: unknown; readonly syscall?: unknown }
  return (
    systemCodes.has(code) ||
    (code === 'ENOENT' && syscall === 'connect') ||
    grpcCodes.has(code) ||
    (typeof code === 'string' && isSqlStateOfOutage(code)) ||
    messages.test(error.message) ||
    isOutage(error.cause)
  )
}

/** Whether the whole transaction may simply run again: deadlock or serialization failure. */
export function isConflict(error: unknown): boolean {
  const code = sqlState(error)
  return code === '40P01' || code === '40001'
}

/** The five characters PostgreSQL gave the error, if it came from PostgreSQL. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('severity' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

function isSqlStateOfOutage(code: string): boolean {
  return (
    code.length === 5 &&
    sqlStatesOfOutages.some((state) =>
      typeof state === 'string' ? state === code : state.test(code),
    )
  )
}
