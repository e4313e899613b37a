/** The messages of PostgreSQL's protocol that the simulation reads, writes and changes. */

const header_bytes = 5

/** Ready for a transaction, in one, or in one that has failed. */
export type TransactionState = 'I' | 'T' | 'E'

export interface Failure {
  readonly sqlState: string
  /** FATAL ends the connection. */
  readonly severity: 'ERROR' | 'FATAL'
}

/** A simple query. */
export function queryMessage(sql: string): Buffer {
  return message('Q', Buffer.from(`${sql}\0`))
}

/** A statement that fails like this; the transaction around it fails too. */
export function failingQuery(sqlState: string): Buffer {
  return queryMessage(
    `do $$ begin raise exception 'injected' using errcode = '${sqlState}'; end $$`,
  )
}

export function failureMessage({ sqlState, severity }: Failure): Buffer {
  const fields = { S: severity, V: severity, C: sqlState, M: 'injected' }
  const text = Object.entries(fields).map(([name, value]) => `${name}${value}\0`)
  return message('E', Buffer.from(`${text.join('')}\0`))
}

/** Logged in, the number of the backend, ready. */
export function welcome(backend: number): Buffer {
  const key = Buffer.alloc(8)
  key.writeInt32BE(backend)
  return Buffer.concat([
    message('R', Buffer.alloc(4)),
    message('K', key),
    message('Z', Buffer.from('I')),
  ])
}

/** The `search_path` of a startup message. */
export function searchPathIn(startup: Buffer): string {
  const parameters = startup.subarray(8).toString().split('\0')
  const options = parameters[parameters.indexOf('options') + 1] ?? ''
  return /search_path=(\S+)/.exec(options)?.[1] ?? 'public'
}

/** What an answer leaves the session in. */
export function stateAfter(answer: Uint8Array): TransactionState {
  return String.fromCharCode(answer.at(-1) ?? 0x49) as TransactionState
}

/**
 * Trips of a connection: a Sync or a simple query ends one, Terminate ends the connection. `rest` is the
 * beginning of the next one.
 */
export function tripsIn(bytes: Buffer): {
  readonly trips: readonly Buffer[]
  readonly rest: Buffer
  readonly terminates: boolean
} {
  const trips: Buffer[] = []
  let from = 0
  for (let at = 0; ;) {
    const end = endOf(bytes, at)
    if (end === undefined) return { trips, rest: bytes.subarray(from), terminates: false }
    const type = bytes[at]
    if (type === code('X')) return { trips, rest: Buffer.alloc(0), terminates: true }
    at = end
    if (type !== code('S') && type !== code('Q')) continue
    trips.push(bytes.subarray(from, end))
    from = end
  }
}

/** The names under which the session knows what a connection prepares. */
interface Naming {
  prepare(name: string, text: string): { readonly name: string; readonly isThere: boolean }
  nameOf(name: string): string
}

/** The same trip with other names of statements; what the session has prepared is not prepared again. */
export function renamed(trip: Buffer, naming: Naming): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < trip.length;) {
    const end = endOf(trip, at) ?? trip.length
    const nameAt = nameIn(trip, at)
    if (nameAt === undefined || trip[nameAt] === 0) parts.push(trip.subarray(at, end))
    else parts.push(...renamedMessage(trip.subarray(at, end), nameAt - at, naming))
    at = end
  }
  return Buffer.concat(parts)
}

function renamedMessage(bytes: Buffer, nameAt: number, naming: Naming): readonly Buffer[] {
  const type = String.fromCharCode(bytes[0] ?? 0)
  // What is closed is prepared next, which closes it where that is needed.
  if (type === 'C') return []
  const nameEnd = bytes.indexOf(0, nameAt)
  const name = bytes.toString('latin1', nameAt, nameEnd)
  const withName = (own: string) =>
    message(
      type,
      Buffer.concat([
        bytes.subarray(header_bytes, nameAt),
        Buffer.from(own, 'latin1'),
        bytes.subarray(nameEnd),
      ]),
    )
  if (type !== 'P') return [withName(naming.nameOf(name))]
  const text = bytes.toString('utf8', nameEnd + 1, bytes.indexOf(0, nameEnd + 1))
  const own = naming.prepare(name, text)
  return own.isThere ? [] : [message('C', Buffer.from(`S${own.name}\0`)), withName(own.name)]
}

/** Whether an answer contains an error. */
export function hasFailed(answer: Buffer): boolean {
  for (let at = 0; at < answer.length; at = endOf(answer, at) ?? answer.length) {
    if (answer[at] === code('E')) return true
  }
  return false
}

export interface Statements {
  /** The text of each statement that the trip prepares, by name. */
  readonly prepared: ReadonlyMap<string, string>
  /** The names of those that it executes. */
  readonly bound: readonly string[]
}

export function statementsIn(trip: Buffer): Statements {
  const prepared = new Map<string, string>()
  const bound: string[] = []
  for (let at = 0; at < trip.length; at = endOf(trip, at) ?? trip.length) {
    const nameAt = nameIn(trip, at)
    if (nameAt === undefined) continue
    const nameEnd = trip.indexOf(0, nameAt)
    const name = trip.toString('latin1', nameAt, nameEnd)
    if (trip[at] === code('B')) bound.push(name)
    if (trip[at] === code('P')) {
      prepared.set(name, trip.toString('utf8', nameEnd + 1, trip.indexOf(0, nameEnd + 1)))
    }
  }
  return { prepared, bound }
}

/** Where the name of the statement begins; undefined: the message names none. */
function nameIn(trip: Buffer, at: number): number | undefined {
  const body = at + header_bytes
  switch (trip[at]) {
    case code('P'):
      return body
    case code('B'):
      return trip.indexOf(0, body) + 1
    case code('D'):
    case code('C'):
      return trip[body] === code('S') ? body + 1 : undefined
    default:
      return undefined
  }
}

/** Undefined: the message is not there as a whole. */
function endOf(bytes: Buffer, at: number): number | undefined {
  if (bytes.length - at < header_bytes) return undefined
  const end = at + 1 + bytes.readInt32BE(at + 1)
  return end <= bytes.length ? end : undefined
}

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(header_bytes)
  head[0] = code(type)
  head.writeInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}

function code(type: string): number {
  return type.charCodeAt(0)
}
