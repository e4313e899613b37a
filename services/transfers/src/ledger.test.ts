import { GrpcCallError } from '@causeway/grpc'
import { openLedgerInMemory } from '@causeway/ledger/testing'
import { openLog } from '@causeway/process'
import type { LedgerAnswer as WireAnswer } from '@causeway/protos'
import { describe, expect, test } from '@jest/globals'
import { answerOf, openLedger } from './ledger.ts'
import { claimedBy } from './contract.ts'
import { prepareEvent } from './testing/messages.ts'

const wire: WireAnswer = {
  transferId: 'a',
  outcome: 'RESERVED',
  evidence: Buffer.alloc(0),
  settlementModelId: 1,
  settles: 'NET',
  payerPosition: null,
  payeePosition: null,
}

describe('Invalid answers of the ledger:', () => {
  test.each([
    ['a reservation without a position', {}],
    ['a posting without a fulfilment', { outcome: 'POSTED' as const }],
    ['a fault', { outcome: 'FAULT' as const }],
  ])('In an answer of the ledger %s is a fault of its item', (_name, changes) => {
    expect(answerOf('a', { ...wire, ...changes }, undefined).outcome).toBe('FAULT')
  })

  const evidence = Buffer.from('{"kind":"MOON"}')
  const unknown = 99 as never
  test.each<[string, Partial<WireAnswer>]>([
    ['a refusal for an unknown reason', { outcome: 'REFUSED', refusal: unknown }],
    ['a void for an unknown reason', { outcome: 'VOIDED', voidReason: unknown }],
    ['a void with unknown evidence', { outcome: 'VOIDED', voidReason: 'REJECTED', evidence }],
    ['a posting with unknown evidence', { outcome: 'POSTED', evidence }],
    ['a posting to settle in an unknown way', { outcome: 'POSTED', settles: unknown }],
    ['an unknown outcome', { outcome: unknown }],
  ])('In an answer of the ledger %s may be of a newer release', (_name, changes) => {
    expect(answerOf('a', { ...wire, ...changes }, undefined).outcome).toBe('NOT_UNDERSTOOD')
  })

  test('An answer of the ledger for another call is a bug', () => {
    expect(() => answerOf('b', wire, undefined)).toThrow('did not answer b')
    expect(() => answerOf('b', undefined, undefined)).toThrow('did not answer b')
  })
})

describe('a call without an answer', () => {
  const log = openLog({ name: 'test', level: 'silent' })
  const outage = new GrpcCallError('participant-lifecycle', '/Ledger', {
    code: 14,
    details: 'no connection',
  } as never)
  const item = {
    transfer: claimedBy(prepareEvent('a')),
  }

  test('A call without an answer is repeated with the same id until it is answered', async () => {
    const ledger = openLedgerInMemory({ now: () => 0, grace_ms: 1_000 })
    let tries = 0
    const calls = {
      ...ledger.calls,
      // The ledger works, but its answer is lost twice.
      ProcessTransferPrepare: async (
        items: Parameters<typeof ledger.calls.ProcessTransferPrepare>[0],
      ) => {
        const answers = await ledger.calls.ProcessTransferPrepare(items)
        if (++tries < 3) throw outage
        return answers
      },
    }
    const { signal } = new AbortController()
    const answers = await openLedger(calls, { log, signal }).reserve([item])
    expect(tries).toBe(3)
    expect(answers).toMatchObject([{ outcome: 'RESERVED' }])
    expect(ledger.entries.size).toBe(1)
  })

  test('A call without an answer is left to the next start when the service stops', async () => {
    const stopping = new AbortController()
    const calls = {
      ...openLedgerInMemory({ now: () => 0, grace_ms: 1_000 }).calls,
      ProcessTransferPrepare: () => {
        stopping.abort()
        return Promise.reject(outage)
      },
    }
    const ledger = openLedger(calls, { log, signal: stopping.signal })
    await expect(ledger.reserve([item])).rejects.toBe(outage)
  })
})
