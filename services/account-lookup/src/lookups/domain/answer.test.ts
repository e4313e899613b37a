import { describe, expect, test } from '@jest/globals'
import { decideAsking, decideTelling, type Findings, type Standing } from './answer.ts'

const standings: Readonly<Record<string, Standing>> = {
  green: 'REACHABLE',
  blue: 'REACHABLE',
  mute: 'NO_ADDRESS',
  gone: 'INACTIVE',
}
const standingOf = (fspId: string): Standing => standings[fspId] ?? 'INACTIVE'
const found = (...fspIds: readonly string[]): Findings => ({ type: 'FOUND', fspIds })

describe('GET /parties', () => {
  test('goes to every owner that can be reached', () => {
    expect(decideAsking(found('gone', 'green', 'mute', 'blue'), standingOf)).toEqual({
      type: 'ASK',
      fspIds: ['green', 'blue'],
    })
  })

  test.each([
    [found('gone', 'unheard-of'), 'FSP_INACTIVE'],
    [found('gone', 'mute'), 'NO_ADDRESS'],
    [{ type: 'PARTY_UNKNOWN' } as const, 'PARTY_UNKNOWN'],
    [{ type: 'ORACLE_MISSING' } as const, 'ORACLE_MISSING'],
    [{ type: 'ORACLE_AWAY' } as const, 'ORACLE_AWAY'],
    [{ type: 'ORACLE_TRIPPED' } as const, 'ORACLE_TRIPPED'],
    [{ type: 'TYPE_NOT_ASKED' } as const, 'TYPE_NOT_ASKED'],
  ])('with %j is refused as %s', (findings, reason) => {
    expect(decideAsking(findings, standingOf)).toEqual({ type: 'REFUSED', reason })
  })
})

describe('GET /participants', () => {
  const isActive = (fspId: string) => standingOf(fspId) !== 'INACTIVE'

  test('tells of the oldest owner that is active, address or not', () => {
    expect(decideTelling(found('gone', 'mute', 'green'), isActive)).toEqual({
      type: 'TELL',
      fspId: 'mute',
    })
  })

  test('tells of no inactive one', () => {
    expect(decideTelling(found('gone'), isActive)).toEqual({
      type: 'REFUSED',
      reason: 'FSP_INACTIVE',
    })
  })
})
