/** Any requests in any order keep states and money consistent. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  grossMovements,
  netMovements,
  pairMovements,
  steppingOf,
  type Movement,
  type Rules,
} from './movements.ts'
import {
  decideAbort,
  decideUpdate,
  stateOf,
  steps,
  type NetAccount,
  type AccountChange,
  type Settlement,
} from './settlement.ts'

const rules: Rules = {
  granularity: 'NET',
  interchange: 'MULTILATERAL',
  ledgerAccountType: 'POSITION',
  settlementAccountType: 'SETTLEMENT',
  autoPositionReset: true,
  excludesUnpaid: true,
}

function account(
  accountId: number,
  net: bigint,
  state: NetAccount['state'] = steps[0],
): NetAccount {
  return {
    accountId,
    participantId: accountId + 100,
    participant: `fsp${accountId}`,
    currency: 'USD',
    state,
    reason: '',
    externalReference: '',
    net,
  }
}

function update(accountId: number, state: NetAccount['state'], participantId = accountId + 100) {
  return { participantId, accountId, state, reason: 'bank', externalReference: '' }
}

function changed(
  settlement: Settlement,
  changes: readonly AccountChange[],
  state: Settlement['state'],
) {
  const byId = new Map(changes.map((change) => [change.accountId, change]))
  return {
    ...settlement,
    state,
    accounts: settlement.accounts.map((one) => ({ ...one, ...byId.get(one.accountId) })),
  }
}

type Asked =
  | {
      readonly type: 'UPDATE'
      readonly accounts: readonly (readonly [number, NetAccount['state']])[]
    }
  | { readonly type: 'ABORT' }

const states = fc.constantFrom(...steps)
const asked: fc.Arbitrary<Asked> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .array(fc.tuple(fc.integer({ min: 1, max: 5 }), states), { minLength: 1, maxLength: 6 })
      .map((accounts): Asked => ({ type: 'UPDATE', accounts })),
  },
  {
    weight: 6,
    arbitrary: states.map((state): Asked => ({
      type: 'UPDATE',
      accounts: [1, 2, 3, 4].map((id) => [id, state] as const),
    })),
  },
  { weight: 1, arbitrary: fc.constant<Asked>({ type: 'ABORT' }) },
)

/** What the movements did to each account, and to the hub's. */
function book(moved: Map<string, bigint>, movements: readonly Movement[]): void {
  for (const { debit, credit, amount } of movements) {
    for (const [place, change] of [
      [debit, amount],
      [credit, -amount],
    ] as const) {
      const key = place.participant ?? 'hub'
      moved.set(key, (moved.get(key) ?? 0n) + change)
    }
  }
}

test('Any requests in any order keep states in step and end with correct balances', () => {
  const nets = fc.tuple(...[1, 2, 3].map(() => fc.bigInt({ min: -500n, max: 500n })))
  fc.assert(
    fc.property(nets, fc.array(asked, { maxLength: 60 }), ([a, b, c], requests) => {
      const owed = [a ?? 0n, b ?? 0n, c ?? 0n]
      const all = [...owed, -owed.reduce((sum, net) => sum + net, 0n)]
      let settlement: Settlement = {
        id: 1,
        state: steps[0],
        accounts: all.map((net, at) => account(at + 1, net)),
      }
      const moved = new Map<string, bigint>()
      const names = new Set<string>()
      for (const request of requests) {
        const decision =
          request.type === 'ABORT'
            ? decideAbort(settlement, { reason: 'stop', externalReference: '' })
            : decideUpdate(
                settlement,
                request.accounts.map(([id, state]) => update(id, state)),
              )
        if (decision.type === 'REFUSE' || decision.type === 'REASON') continue
        const movements = netMovements(rules, steppingOf(settlement.accounts, decision.changes))
        for (const { name } of movements) {
          expect(names.has(name)).toBe(false)
          names.add(name)
        }
        book(moved, movements)
        const state = decision.type === 'ABORT' ? 'ABORTED' : decision.state
        settlement = changed(settlement, decision.changes, state)
        expect(settlement.state).toBe(stateOf(settlement.accounts.map((one) => one.state)))
        isInStep(settlement)
      }
      hasMoved(settlement, moved)
    }),
    { numRuns: 300 },
  )
})

/** No account is behind the settlement, or ahead of it by more than one. */
function isInStep({ state, accounts }: Settlement): void {
  if (state === 'ABORTED') {
    expect(accounts.every((one) => one.state === 'ABORTED')).toBe(true)
    return
  }
  const here = steps.findIndex((step) => step === (state === 'SETTLING' ? steps[3] : state))
  for (const one of accounts) {
    const at = steps.findIndex((step) => step === one.state)
    expect([here, here + 1]).toContain(at)
  }
}

/** Settled or committed: each account is back at nothing; aborted: nothing has moved. */
function hasMoved({ state, accounts }: Settlement, moved: ReadonlyMap<string, bigint>): void {
  for (const { participant, net, state: own } of accounts) {
    const change = moved.get(participant) ?? 0n
    const isReset =
      own !== 'ABORTED' && steps.findIndex((step) => step === own) >= (net < 0n ? 2 : 3)
    expect(change).toBe(isReset ? -net : 0n)
  }
  if (state === 'SETTLED' || state === 'ABORTED') expect(moved.get('hub') ?? 0n).toBe(0n)
}

describe('an account', () => {
  const settlement: Settlement = {
    id: 1,
    state: steps[0],
    accounts: [account(1, 5n), account(2, -5n)],
  }

  test('An account steps at most one ahead of its settlement', () => {
    const first = decideUpdate(settlement, [update(1, steps[1])])
    if (first.type !== 'CHANGE') throw new Error(first.type)
    expect(first).toMatchObject({ faults: [], state: steps[0] })
    const after = changed(settlement, first.changes, first.state)
    expect(decideUpdate(after, [update(1, steps[2])])).toMatchObject({
      faults: [{ reason: 'TRANSITION_NOT_ALLOWED' }],
      changes: [],
    })
    expect(decideUpdate(after, [update(2, steps[1])])).toMatchObject({ state: steps[1] })
  })

  test('An update to the same state stores only the new reason', () => {
    const decision = decideUpdate(settlement, [update(1, steps[0])])
    if (decision.type !== 'CHANGE') throw new Error(decision.type)
    expect(decision).toMatchObject({ changes: [{ reason: 'bank' }], faults: [] })
    expect(netMovements(rules, steppingOf(settlement.accounts, decision.changes))).toEqual([])
  })

  test.each([
    ['ACCOUNT_UNKNOWN', update(9, steps[1])],
    ['PARTICIPANT_MISMATCH', update(1, steps[1], 102)],
    ['TRANSITION_NOT_ALLOWED', update(1, steps[2])],
    ['TRANSITION_NOT_ALLOWED', update(1, 'ABORTED')],
  ])('An account is left unchanged as %s', (reason, wrong) => {
    expect(decideUpdate(settlement, [wrong, update(2, steps[1])])).toMatchObject({
      faults: [{ reason }],
      changes: [{ accountId: 2 }],
    })
  })

  test('A committed account prevents an abort', () => {
    const accounts = [account(1, 5n, steps[3]), account(2, -5n, steps[2])]
    const reserved: Settlement = { id: 1, state: steps[2], accounts }
    const words = { reason: '', externalReference: '' }
    expect(decideAbort(reserved, words)).toMatchObject({ type: 'REFUSE' })
    const early = { ...reserved, accounts: [account(1, 5n, steps[2]), account(2, -5n, steps[2])] }
    expect(decideAbort(early, words)).toMatchObject({ type: 'ABORT' })
  })
})

describe('what moves', () => {
  const accounts = [account(1, 5n, steps[2]), account(2, -5n, steps[2])]
  const committing = steppingOf(
    accounts,
    accounts.map(({ accountId }) => ({
      accountId,
      state: steps[3],
      reason: '',
      externalReference: '',
    })),
  )

  test('Nothing moves if positions are not reset', () => {
    expect(netMovements({ ...rules, autoPositionReset: false }, committing)).toEqual([])
  })

  test('Interchange fees move to the settlement account of the participant', () => {
    const fees: Rules = {
      ...rules,
      ledgerAccountType: 'INTERCHANGE_FEE',
      settlementAccountType: 'INTERCHANGE_FEE_SETTLEMENT',
    }
    expect(netMovements(fees, committing)).toMatchObject([
      {
        debit: { participant: 'fsp1', type: 'INTERCHANGE_FEE_SETTLEMENT' },
        credit: { participant: 'fsp1', type: 'INTERCHANGE_FEE' },
        awaitsFundsOut: false,
      },
    ])
  })

  test('A pair is moved when its debtor is committed', () => {
    const [payer, payee] = accounts
    if (payer === undefined || payee === undefined) throw new Error('no accounts')
    const pairs = [{ payer, payee, amount: 5n }]
    const bilateral: Rules = { ...rules, interchange: 'BILATERAL' }
    expect(pairMovements(bilateral, committing, pairs)).toMatchObject([
      { debit: { participant: 'fsp2' }, credit: { participant: 'fsp1' }, awaitsFundsOut: true },
    ])
    expect(pairMovements(bilateral, committing.slice(1), pairs)).toEqual([])
  })

  test('Pairs await funds out for the net of each debtor, and no more', () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt(-9n, 9n), { minLength: 6, maxLength: 6 }),
        fc.subarray([1, 2, 3, 4]),
        (owed, ids) => {
          const among = [[1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]] as const // oxfmt-ignore
          const net = (id: number) =>
            among.reduce((sum, [one, other], at) => {
              const amount = owed[at] ?? 0n
              return sum + (one === id ? amount : other === id ? -amount : 0n)
            }, 0n)
          const all = [1, 2, 3, 4].map((id) => account(id, net(id), steps[2]))
          const of = (id: number) => all[id - 1] ?? account(id, 0n, steps[2])
          const pairs = among.flatMap(([one, other], at) => {
            const amount = owed[at] ?? 0n
            if (amount === 0n) return []
            const [payer, payee] = amount > 0n ? [one, other] : [other, one]
            return [{ payer: of(payer), payee: of(payee), amount: amount < 0n ? -amount : amount }]
          })
          const words = { reason: '', externalReference: '' }
          const changes = ids.map((accountId) => ({ accountId, state: steps[3], ...words }))
          const moved = pairMovements(
            { ...rules, interchange: 'BILATERAL' },
            steppingOf(all, changes),
            pairs,
          )
          const sumOf = (id: number, awaiting?: boolean) =>
            moved
              .filter(({ credit }) => credit.participant === of(id).participant)
              .filter(({ awaitsFundsOut }) => awaiting === undefined || awaiting === awaitsFundsOut)
              .reduce((sum, { amount }) => sum + amount, 0n)
          for (const id of ids) {
            const owes = pairs.filter(({ payer }) => payer.accountId === id)
            expect(sumOf(id)).toBe(owes.reduce((sum, { amount }) => sum + amount, 0n))
            expect(sumOf(id, true)).toBe(net(id) > 0n ? net(id) : 0n)
          }
          expect(new Set(moved.map(({ name }) => name)).size).toBe(moved.length)
          expect(moved.every(({ amount }) => amount > 0n)).toBe(true)
        },
      ),
    )
  })

  test.each([
    ['BILATERAL', {}],
    ['MULTILATERAL', { 'hub HUB_MULTILATERAL_SETTLEMENT': 0n }],
  ] as const)(
    'A gross %s transfer reverses positions and moves the settlement accounts',
    (interchange, hub) => {
      const line = {
        windowId: 1,
        transferId: 't',
        kind: 'TRANSFER',
        payerFsp: 'fsp1',
        payeeFsp: 'fsp2',
        amount: 5n,
        currency: 'USD',
      }
      const moved = new Map<string, bigint>()
      for (const { debit, credit, amount } of grossMovements({ ...rules, interchange }, line)) {
        for (const [place, sign] of [
          [debit, 1n],
          [credit, -1n],
        ] as const) {
          const key = `${place.participant ?? 'hub'} ${place.type}`
          moved.set(key, (moved.get(key) ?? 0n) + sign * amount)
        }
      }
      expect(Object.fromEntries(moved)).toEqual({
        'fsp1 SETTLEMENT': 5n,
        'fsp1 POSITION': -5n,
        'fsp2 POSITION': 5n,
        'fsp2 SETTLEMENT': -5n,
        ...hub,
      })
    },
  )
})
