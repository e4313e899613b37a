import { describe, expect, test } from '@jest/globals'
import {
  hasFailed,
  queryMessage,
  renamed,
  searchPathIn,
  stateAfter,
  statementsIn,
  tripsIn,
} from './protocol.ts'

function message(type: string, body: string): Buffer {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(4 + Buffer.byteLength(body), 1)
  return Buffer.concat([head, Buffer.from(body)])
}

const parse = message('P', 'name\0select 1\0\0\0')
const bind = message('B', 'portal\0name\0\0\0\0\0\0\0')
const describeStatement = message('D', 'Sname\0')
const describePortal = message('D', 'Pportal\0')
const sync = message('S', '')
const trip = Buffer.concat([parse, bind, describeStatement, describePortal, sync])

describe('trips of a connection', () => {
  test('A Sync or a simple query ends a trip, and what follows is the next one', () => {
    const query = queryMessage('select 1')
    const bytes = Buffer.concat([trip, query, parse])
    expect(tripsIn(bytes)).toEqual({ trips: [trip, query], rest: parse, terminates: false })
  })

  test('A message that is not there as a whole waits for the rest', () => {
    const { trips, rest } = tripsIn(trip.subarray(0, trip.length - 1))
    expect(trips).toEqual([])
    expect(rest).toHaveLength(trip.length - 1)
  })

  test('Terminate ends the connection', () => {
    const { trips, terminates } = tripsIn(Buffer.concat([trip, message('X', '')]))
    expect(trips).toEqual([trip])
    expect(terminates).toBe(true)
  })
})

describe('names of statements', () => {
  const naming = (isThere: boolean) => ({
    prepare: (name: string, text: string) => ({ name: `${name}_${text.length}`, isThere }),
    nameOf: (name: string) => `${name}_8`,
  })
  const rest = [
    message('B', 'portal\0name_8\0\0\0\0\0\0\0'),
    message('D', 'Sname_8\0'),
    describePortal,
    sync,
  ]

  test('Statements get names of the session, and portals keep theirs', () => {
    const prepared = message('P', 'name_8\0select 1\0\0\0')
    expect(renamed(trip, naming(false))).toEqual(
      Buffer.concat([message('C', 'Sname_8\0'), prepared, ...rest]),
    )
    const unnamed = Buffer.concat([message('P', '\0select 1\0\0\0'), sync])
    expect(renamed(unnamed, naming(false))).toEqual(unnamed)
  })

  test('What the session has prepared is neither closed nor prepared', () => {
    const closing = Buffer.concat([message('C', 'Sname\0'), trip])
    expect(renamed(closing, naming(true))).toEqual(Buffer.concat(rest))
  })
})

test('An answer has failed when it contains an error', () => {
  const ready = message('Z', 'I')
  expect(hasFailed(Buffer.concat([message('C', 'E\0'), ready]))).toBe(false)
  expect(hasFailed(Buffer.concat([message('E', 'C42601\0\0'), ready]))).toBe(true)
})

test('A trip names the statements that it prepares and executes', () => {
  expect(statementsIn(trip)).toEqual({ prepared: new Map([['name', 'select 1']]), bound: ['name'] })
})

test('The search path is that of the options, and the state the last byte of an answer', () => {
  const startup = Buffer.from(
    '\0\0\0\0\0\x03\0\0user\0a\0options\0-c search_path=transfers -c b=c\0\0',
  )
  expect(searchPathIn(startup)).toBe('transfers')
  expect(searchPathIn(Buffer.from('\0\0\0\0\0\x03\0\0user\0a\0\0'))).toBe('public')
  expect(stateAfter(message('Z', 'T'))).toBe('T')
})
