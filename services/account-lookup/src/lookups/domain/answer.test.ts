import { describe, expect, test } from '@jest/globals'
import { decideForwarding, decideOwner, type Findings, type Reachability } from './answer.ts'

const reachabilities: Readonly<Record<string, Reachability>> = {
  green: 'REACHABLE',
  blue: 'REACHABLE',
  mute: 'NO_ADDRESS',
  gone: 'INACTIVE',
}
const reachabilityOf = (fspId: string): Reachability => reachabilities[fspId] ?? 'INACTIVE'
const found = (...fspIds: readonly string[]): Findings => ({ type: 'FOUND', fspIds })

describe('GET /parties', () => {
  test('GET /parties goes to every reachable owner', () => {
    expect(decideForwarding(found('gone', 'green', 'mute', 'blue'), reachabilityOf)).toEqual({
      type: 'FORWARD',
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
  ])('GET /parties with %j is refused as %s', (findings, reason) => {
    expect(decideForwarding(findings, reachabilityOf)).toEqual({ type: 'REFUSED', reason })
  })
})

describe('GET /participants', () => {
  const isActive = (fspId: string) => reachabilityOf(fspId) !== 'INACTIVE'

  test('GET /participants answers with the oldest active owner, with or without an address', () => {
    expect(decideOwner(found('gone', 'mute', 'green'), isActive)).toEqual({
      type: 'OWNER',
      fspId: 'mute',
    })
  })

  test('GET /participants never answers with an inactive owner', () => {
    expect(decideOwner(found('gone'), isActive)).toEqual({
      type: 'REFUSED',
      reason: 'FSP_INACTIVE',
    })
  })
})
