import { describe, expect, test } from '@jest/globals'
import {
  abortText,
  canAbort,
  canClose,
  canSettle,
  fundsOutText,
  hasReached,
  nextStep,
  settlesLater,
  settlementStep,
  stepLabels,
  steps,
  stepText,
  waitsFor,
  type Effect,
} from './settlement-steps.ts'

const states = [
  'PENDING_SETTLEMENT',
  'PS_TRANSFERS_RECORDED',
  'PS_TRANSFERS_RESERVED',
  'PS_TRANSFERS_COMMITTED',
  'SETTLING',
  'SETTLED',
  'ABORTED',
]

describe('a model settles', () => {
  const usd = {
    isActive: true,
    currency: 'USD',
    ledgerAccountTypeId: 'POSITION',
    settlementDelay: 'DEFERRED',
  }
  const fees = { ...usd, ledgerAccountTypeId: 'INTERCHANGE_FEE' }
  const rest = { ...usd, currency: null }
  const content = { state: 'CLOSED', currencyId: 'USD', ledgerAccountType: 'POSITION' }

  test('A model settles contents of its currency and account type', () => {
    const all = [usd, fees, rest]
    expect(waitsFor(content, usd, all)).toBe(true)
    expect(waitsFor({ ...content, state: 'ABORTED' }, usd, all)).toBe(true)
    expect(waitsFor({ ...content, state: 'SETTLED' }, usd, all)).toBe(false)
    expect(waitsFor({ ...content, currencyId: 'EUR' }, usd, all)).toBe(false)
    expect(waitsFor(content, fees, all)).toBe(false)
    expect(waitsFor({ ...content, ledgerAccountType: 'INTERCHANGE_FEE' }, fees, all)).toBe(true)
  })

  test('A model without currency settles the currencies that have no model of their own', () => {
    const all = [usd, fees, rest]
    expect(waitsFor(content, rest, all)).toBe(false)
    expect(waitsFor({ ...content, currencyId: 'EUR' }, rest, all)).toBe(true)
  })

  test('A model settles later, unless it is inactive, settles immediately, or has no transfers', () => {
    const models = [
      usd,
      { ...usd, isActive: false },
      { ...usd, settlementDelay: 'IMMEDIATE' },
      { ...usd, ledgerAccountTypeId: 'SETTLEMENT' },
    ]
    expect(models.map(settlesLater)).toEqual([true, false, false, false])
  })
})

test('An account steps to the state after its own, and from the last to none', () => {
  expect(states.map(nextStep)).toEqual([
    'PS_TRANSFERS_RECORDED',
    'PS_TRANSFERS_RESERVED',
    'PS_TRANSFERS_COMMITTED',
    'SETTLED',
    undefined,
    undefined,
    undefined,
  ])
})

test('A settlement steps with its accounts in the earliest state', () => {
  const at = (...all: string[]) => settlementStep(all.map((state) => ({ state })))
  expect(at('PS_TRANSFERS_COMMITTED', 'SETTLED')).toBe('SETTLED')
  expect(at('PS_TRANSFERS_RECORDED', 'PENDING_SETTLEMENT')).toBe('PS_TRANSFERS_RECORDED')
  expect(at('SETTLED', 'SETTLED')).toBeUndefined()
  expect(at('ABORTED', 'ABORTED')).toBeUndefined()
  expect(at()).toBeUndefined()
})

test('A settlement can be aborted until one of its accounts is committed', () => {
  const allowed = states.filter((state) => canAbort(state, [{ state }]))
  expect(allowed).toEqual(states.slice(0, 3))
  expect(canAbort('PS_TRANSFERS_RESERVED', [{ state: 'PS_TRANSFERS_COMMITTED' }])).toBe(false)
})

test('Only the open window is closed, and only closed ones are settled', () => {
  const windows = ['OPEN', 'PROCESSING', 'CLOSED', 'PENDING_SETTLEMENT', 'SETTLED', 'ABORTED']
  expect(windows.filter(canClose)).toEqual(['OPEN'])
  expect(windows.filter(canSettle)).toEqual(['CLOSED', 'PENDING_SETTLEMENT', 'ABORTED'])
})

describe('the confirmation of a step', () => {
  const same: Effect = { cover: 'SAME', netDebitCap: 'SAME' }
  const less: Effect = { cover: 'LESS', netDebitCap: 'LESS' }
  const more: Effect = { cover: 'MORE', netDebitCap: 'MORE' }
  const capMore: Effect = { cover: 'SAME', netDebitCap: 'MORE' }
  const effect = (state: string, owing: Effect, owed: Effect, awaitsFundsOut = false) => ({
    state,
    owing,
    owed,
    awaitsFundsOut,
  })
  const [, , reserve, commit] = steps
  const bank = 'Confirm only after the bank has confirmed: this step cannot be undone.'
  /** Of a net model that is paid by funds out. */
  const usual = [
    effect(reserve, same, less),
    effect(commit, capMore, same, true),
    effect('ABORTED', same, more),
  ]
  const noCover = 'What a participant owes is no cover until its funds out are recorded.'

  test('The text of Reserve names who may spend less, and when the bank gets its instructions', () => {
    expect(stepText(reserve, usual)).toBe(
      'Participants that are owed money may spend less, by what they are owed. Send the instructions to the bank after this step.',
    )
  })

  test('The text of Commit states that what is owed is no cover until funds out, and that it cannot be undone', () => {
    expect(stepText(commit, usual)).toBe(
      `Participants that owe money may spend as much as before within their cover, and more within their net debit cap, by what they owe. ${noCover} ${bank}`,
    )
  })

  test('The text of Commit names who may spend more and who less, where both sides change', () => {
    expect(stepText(commit, [effect(commit, more, less)])).toBe(
      `Participants that owe money may spend more, by what they owe. Participants that are owed money may spend less, by what they are owed. ${bank}`,
    )
  })

  test('The text of a step that changes nothing states that', () => {
    const nothing = 'What participants may spend does not change.'
    expect(stepText(commit, [effect(commit, same, same)])).toBe(`${nothing} ${bank}`)
    expect(stepText(commit, [effect(commit, same, same, true)])).toBe(
      `${nothing} ${noCover} ${bank}`,
    )
  })

  test('Without effects, the text is what holds in every model', () => {
    expect(stepText(commit)).toBe(bank)
    for (const step of steps) expect(stepText(step)).not.toBe('')
    expect(Object.keys(stepLabels)).toEqual([...steps])
  })

  test('The text of an abort names who may spend more, once something is reserved', () => {
    const note = 'Balances that it has moved are moved back; its windows can be settled again.'
    expect(abortText([{ state: 'PS_TRANSFERS_RECORDED' }], usual)).toBe(note)
    expect(abortText([{ state: reserve }, { state: 'PS_TRANSFERS_RECORDED' }], usual)).toBe(
      `Participants that are owed money may spend more, by what they are owed. ${note}`,
    )
  })

  test('Once an account is committed, the settlement shows that funds out are awaited', () => {
    const shown = states.filter((state) => fundsOutText([{ state }], usual) !== undefined)
    expect(shown).toEqual([commit, 'SETTLING', 'SETTLED'])
    expect(fundsOutText([{ state: reserve }, { state: commit }], usual)).toBe(noCover)
    expect(fundsOutText([{ state: commit }], [effect(commit, more, same)])).toBeUndefined()
  })
})

test('A settlement has reached its own step and those before', () => {
  const reached = (state: string) => steps.filter((step) => hasReached(state, step)).length
  expect(states.map(reached)).toEqual([1, 2, 3, 4, 4, 5, 0])
})
