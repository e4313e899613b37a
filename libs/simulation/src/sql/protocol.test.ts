import { describe, expect, test } from '@jest/globals'
import {
  queryMessage,
  searchPathIn,
  stateAfter,
  statementsIn,
  tripsIn,
  withOwnNames,
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

test('Statements get names of their connection, and portals keep theirs', () => {
  expect(withOwnNames(trip, 7)).toEqual(
    Buffer.concat([
      message('P', '7_name\0select 1\0\0\0'),
      message('B', 'portal\x007_name\0\0\0\0\0\0\0'),
      message('D', 'S7_name\0'),
      describePortal,
      sync,
    ]),
  )
  const unnamed = Buffer.concat([message('P', '\0select 1\0\0\0'), sync])
  expect(withOwnNames(unnamed, 7)).toEqual(unnamed)
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
