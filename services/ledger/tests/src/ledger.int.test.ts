/** The ledger through its gRPC interface: money is reserved, posted and voided exactly once. */
import {
  depositTo,
  differencesIn,
  fulfil,
  fulfilItem,
  inFuture,
  onboard,
  openHubAccounts,
  openWorld,
  patient,
  prepare,
  prepareItem,
  release,
  releaseItem,
  setDeposit,
  succeeded,
  valueOf,
  wordsOf,
  type ParticipantLifecycleWorld,
} from '@causeway/participant-lifecycle/testing'
import { randomUUID } from 'node:crypto'
import { formatAmount } from '@causeway/money'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'

let hub: ParticipantLifecycleWorld

beforeAll(async () => {
  hub = await openWorld({ EXPIRY_GRACE_MS: 0 })
  // The tests meddle with the journal.
  await hub.sql(`alter table journal disable trigger user`)
})

afterAll(() => hub.stop())

beforeEach(async () => {
  await hub.sql(
    `truncate entries, journal, window_net, window_rotations, limits, endpoints, cover_reservations, accounts`,
  )
  await hub.sql(`delete from participants where id <> 1`)
  await openHubAccounts(hub)
  await onboard(hub, 'greenbank')
  await onboard(hub, 'bluewallet')
})

afterEach(async () => {
  expect(await differencesIn(hub)).toEqual([])
})

async function line(): Promise<readonly (string | undefined)[]> {
  return Promise.all([
    valueOf(hub, 'greenbank', 'POSITION'),
    valueOf(hub, 'greenbank', 'SETTLEMENT'),
    valueOf(hub, 'bluewallet', 'POSITION'),
    valueOf(hub, 'bluewallet', 'SETTLEMENT'),
    valueOf(hub, 'Hub', 'HUB_RECONCILIATION'),
    valueOf(hub, 'Hub', 'HUB_MULTILATERAL_SETTLEMENT'),
  ])
}

test('Two FSPs with a cap of 600 and a deposit of 1000 pay each other, line by line', async () => {
  const [hundred, fiveHundred] = [prepareItem({ amount: '100' }), prepareItem({ amount: '500' })]
  expect(await line()).toEqual(['0', '-1000', '0', '-1000', '2000', '0'])
  expect(wordsOf(await prepare(hub, hundred))).toEqual(['RESERVED'])
  expect(await line()).toEqual(['100', '-1000', '0', '-1000', '2000', '0'])
  expect(wordsOf(await fulfil(hub, fulfilItem(hundred.transferId)))).toEqual(['POSTED'])
  expect(await line()).toEqual(['100', '-1000', '-100', '-1000', '2000', '0'])
  expect(wordsOf(await prepare(hub, fiveHundred))).toEqual(['RESERVED'])
  expect(await line()).toEqual(['600', '-1000', '-100', '-1000', '2000', '0'])
  expect(wordsOf(await prepare(hub, prepareItem()))).toEqual(['REFUSED CAP_SHORT'])
  expect(await line()).toEqual(['600', '-1000', '-100', '-1000', '2000', '0'])
  expect(wordsOf(await release(hub, releaseItem(fiveHundred.transferId)))).toEqual([
    'VOIDED REJECTED',
  ])
  expect(await line()).toEqual(['100', '-1000', '-100', '-1000', '2000', '0'])
  expect(wordsOf(await prepare(hub, back('700'), back('0.0001')))).toEqual([
    'RESERVED',
    'REFUSED CAP_SHORT',
  ])
})

function back(amount: string) {
  return prepareItem({ amount, payerFsp: 'bluewallet', payeeFsp: 'greenbank' })
}

test('An answer contains evidence, model, window and the positions after the step', async () => {
  const item = prepareItem({ amount: '100' })
  const [reserved] = await prepare(hub, item)
  const [posted] = await fulfil(hub, fulfilItem(item.transferId))
  expect(reserved).toMatchObject({
    outcome: 'RESERVED',
    payerPosition: {
      participantId: 'greenbank',
      value: '100',
      reservedValue: '100',
      limit: '600',
      liquidity: '1000',
    },
    payeePosition: { participantId: 'bluewallet', value: '0', reservedValue: '0' },
  })
  expect(posted).toMatchObject({
    transferId: item.transferId,
    evidence: Buffer.from('fulfilled'),
    settlementModelId: 1,
    settles: 'NET',
    windowId: 1,
    payerPosition: { value: '100', reservedValue: '0' },
    payeePosition: { value: '-100', reservedValue: '0' },
  })
})

test('Of many concurrent prepares against cover for seven, exactly seven are reserved', async () => {
  const items = Array.from({ length: 60 }, () => prepareItem({ amount: '80' }))
  const calls = await Promise.all(items.map((item) => prepare(hub, item)))
  const words = wordsOf(calls.flat())
  expect(words.filter((word) => word === 'RESERVED')).toHaveLength(7)
  expect(words.filter((word) => word === 'REFUSED CAP_SHORT')).toHaveLength(53)
  expect(await valueOf(hub, 'greenbank', 'POSITION')).toBe('560')
})

test('The same new id in concurrent calls and twice in one call is reserved once', async () => {
  const item = prepareItem({ amount: '100' })
  const calls = await Promise.all([
    prepare(hub, item),
    prepare(hub, item, item),
    prepare(hub, item),
  ])
  expect(wordsOf(calls.flat())).toEqual(['RESERVED', 'RESERVED', 'RESERVED', 'RESERVED'])
  expect(await valueOf(hub, 'greenbank', 'POSITION')).toBe('100')
})

test('The same id with other terms is a mismatch and leaves the first one untouched', async () => {
  const item = prepareItem({ amount: '100' })
  const other = { ...item, amount: '99' }
  expect(wordsOf(await prepare(hub, item, other))).toEqual(['RESERVED', 'MISMATCH'])
  expect(wordsOf(await prepare(hub, other, item))).toEqual(['MISMATCH', 'RESERVED'])
  expect(await valueOf(hub, 'greenbank', 'POSITION')).toBe('100')
})

test('The first prepare decided after its FSP is disabled is refused, in 1,000 of 1,000 rounds', async () => {
  await hub.sql(`update limits set value = 1000000000`)
  const refused: string[] = []
  for (let round = 0; round < 1_000; round++) {
    const before = prepare(hub, prepareItem({ amount: '0.0001' }))
    await hub.participants.UpdateParticipantState({ name: 'greenbank', isActive: false }, patient)
    const after = prepare(hub, prepareItem({ amount: '0.0001' }))
    const again = hub.participants.UpdateParticipantState(
      { name: 'greenbank', isActive: true },
      patient,
    )
    await Promise.all([before, again])
    refused.push(...wordsOf(await after))
  }
  expect(refused.filter((word) => word !== 'REFUSED PAYER_INACTIVE')).toEqual([])
}, 240_000)

test('A changed limit or account status applies to the next prepare', async () => {
  const limit = { type: 'NET_DEBIT_CAP', value: '10' }
  const name = 'greenbank'
  const currency = 'USD'
  succeeded(await hub.participants.UpdateParticipantAccountLimit({ name, currency, limit }))
  expect(wordsOf(await prepare(hub, prepareItem({ amount: '11' })))).toEqual(['REFUSED CAP_SHORT'])
  const { balances } = await hub.participants.RequestAccountsPositions({ name, currency })
  const accountId = balances?.accounts[0]?.id ?? 0
  succeeded(await hub.participants.UpdateAccountStatus({ name, accountId, isActive: false }))
  expect(wordsOf(await prepare(hub, prepareItem()))).toEqual(['REFUSED PAYER_INACTIVE'])
})

test('A reservation made before its FSP was disabled is still posted', async () => {
  const item = prepareItem({ amount: '100' })
  await prepare(hub, item)
  await hub.participants.UpdateParticipantState({ name: 'greenbank', isActive: false })
  await hub.participants.UpdateParticipantState({ name: 'bluewallet', isActive: false })
  expect(wordsOf(await fulfil(hub, fulfilItem(item.transferId)))).toEqual(['POSTED'])
})

describe('the largest amounts', () => {
  const amount = '999999999999999999.9999'
  const units = 9_999_999_999_999_999_999_999n

  test('The largest amounts, and a sum of a million of them, are reserved and posted exactly', async () => {
    await hub.sql(`update limits set value = 9999999999999999999999 * 1000001`)
    await setDeposit(hub, 'greenbank', units * 1_000_001n)
    await hub.sql(`update accounts set debits_posted = debits_posted
      + 9999999999999999999999::numeric * 1000000 where type = 'POSITION'
      and participant_id = (select id from participants where name = 'greenbank')`)
    const item = prepareItem({ amount })
    expect(wordsOf(await prepare(hub, item, prepareItem({ amount })))).toEqual([
      'RESERVED',
      'REFUSED COVER_SHORT',
    ])
    const [posted] = await fulfil(hub, fulfilItem(item.transferId))
    expect(posted?.payerPosition?.value).toBe(formatAmount(units * 1_000_001n))
    expect(posted?.payeePosition?.value).toBe(`-${amount}`)
    const [entry] = (await hub.ledger.GetLedgerEntries({ ids: [item.transferId] })).entries
    expect(entry?.amount).toBe(amount)
    await hub.sql(`truncate entries, journal, window_net`)
    await hub.sql(`update accounts set debits_posted = 0, credits_posted = 0`)
  })
})

describe('time', () => {
  test('A prepare past its expiration is refused', async () => {
    const item = prepareItem({ expiresAt: inFuture(-1) })
    expect(wordsOf(await prepare(hub, item))).toEqual(['REFUSED EXPIRED'])
  })

  test('A timeout is too early until the expiration, and returns the remaining time', async () => {
    const expiresAt = inFuture(60_000)
    const item = prepareItem({ expiresAt })
    await prepare(hub, item)
    const early = releaseItem(item.transferId, { expiresAt, reason: 'TIMEOUT' })
    const [answer] = await release(hub, early)
    expect(answer?.outcome).toBe('TOO_EARLY')
    expect(answer?.retryMs).toBeGreaterThan(55_000)
    expect(answer?.retryMs).toBeLessThanOrEqual(60_000)
    await hub.sql(`update entries set expires_at = clock_timestamp()`)
    expect(wordsOf(await release(hub, early))).toEqual(['VOIDED TIMEOUT'])
    expect(await valueOf(hub, 'greenbank', 'POSITION')).toBe('0')
  })

  test('A fulfil received in time is posted late, one received late is voided', async () => {
    const [inTime, late] = [prepareItem(), prepareItem()]
    await prepare(hub, inTime, late)
    await hub.sql(`update entries set expires_at = clock_timestamp() - interval '1 second'`)
    const answers = await fulfil(
      hub,
      fulfilItem(inTime.transferId, { receivedAt: inFuture(-5_000) }),
      fulfilItem(late.transferId),
    )
    expect(wordsOf(answers)).toEqual(['POSTED', 'VOIDED TIMEOUT'])
  })

  test('A fulfil stamped by a fast clock is posted in time, and counted', async () => {
    const item = prepareItem({ expiresAt: inFuture(30_000) })
    await prepare(hub, item)
    const ahead = fulfilItem(item.transferId, { receivedAt: inFuture(60_000) })
    expect(wordsOf(await fulfil(hub, ahead))).toEqual(['POSTED'])
    expect(await hub.parts.metrics.metrics()).toMatch(
      /^participant_lifecycle_ledger_receipts_ahead_total 1$/m,
    )
  })

  test('Overdue reservations are listed', async () => {
    const [old, fresh] = [prepareItem(), prepareItem()]
    await prepare(hub, old, fresh)
    await hub.sql(`update entries set expires_at = clock_timestamp() - interval '60 seconds'
      where id = '${old.transferId}'`)
    const { entries } = await hub.ledger.ListOverdueReservations({ overdueMs: 59_000, limit: 10 })
    expect(entries).toMatchObject([{ id: old.transferId, outcome: 'RESERVED', kind: 'TRANSFER' }])
    expect(await hub.ledger.ListOverdueReservations({ overdueMs: 70_000, limit: 10 })).toEqual({
      entries: [],
    })
  })
})

describe('ids', () => {
  test('A void before its reserve leaves a tombstone that voids every later reserve', async () => {
    const item = prepareItem()
    expect(wordsOf(await release(hub, releaseItem(item.transferId)))).toEqual(['VOIDED REJECTED'])
    expect(wordsOf(await prepare(hub, item, { ...item, amount: '5' }))).toEqual([
      'VOIDED REJECTED',
      'VOIDED REJECTED',
    ])
    expect(wordsOf(await fulfil(hub, fulfilItem(item.transferId)))).toEqual(['VOIDED REJECTED'])
    expect(await valueOf(hub, 'greenbank', 'POSITION')).toBe('0')
  })

  test('A fulfil of an unknown id stores nothing', async () => {
    const id = randomUUID()
    expect(wordsOf(await fulfil(hub, fulfilItem(id)))).toEqual(['UNKNOWN'])
    expect((await hub.ledger.GetLedgerEntries({ ids: [id] })).entries).toEqual([])
  })

  test('A transfer never takes the id of funds in, nor funds in that of a transfer', async () => {
    const id = randomUUID()
    succeeded(await depositTo(hub.participants, 'greenbank', '5', id))
    expect(wordsOf(await prepare(hub, prepareItem({ transferId: id })))).toEqual(['MISMATCH'])
    const item = prepareItem()
    await prepare(hub, item)
    const answer = await depositTo(hub.participants, 'greenbank', '5', item.transferId)
    expect(answer.refusal?.reason).toBe('MODIFIED')
  })

  test('Transfer entries are listed in order of their ids, in pages', async () => {
    const items = Array.from({ length: 5 }, () => prepareItem())
    await prepare(hub, ...items)
    const ids = items.map(({ transferId }) => transferId).sort()
    const first = await hub.ledger.ListTransferEntries({ afterId: '', limit: 3 })
    const rest = await hub.ledger.ListTransferEntries({ afterId: ids[2] ?? '', limit: 3 })
    expect([...first.entries, ...rest.entries].map(({ id }) => id)).toEqual(ids)
  })

  test('Entries are listed without evidence, so that the longest page fits into one message', async () => {
    const item = prepareItem()
    await prepare(hub, item)
    await fulfil(hub, fulfilItem(item.transferId, { evidence: Buffer.alloc(16_384) }))
    await hub.sql(`insert into entries (id, kind, outcome, reason, payer_fsp, payee_fsp, amount,
        currency, expires_at, created_at, completed_at, evidence)
      select lpad(n::text, 64, '\u{1F3E6}'), 'TRANSFER', 'REFUSED', rpad('', 64, 'R'),
        rpad('', 32, '\u{1F3E6}'), rpad('', 32, '\u{1F3E6}'), 9999999999999999999999, 'USD', now(),
        now(), now(), case when n < 9 then decode(repeat('00', 16384), 'hex') end
      from generate_series(1, 10001) n`)
    const { entries } = await hub.ledger.ListTransferEntries(
      { afterId: '', limit: 1_000_000 },
      { deadline_ms: 20_000 },
    )
    expect(entries).toHaveLength(10_000)
    expect(entries.filter(({ evidence }) => evidence.length > 0)).toEqual([])
    const tooMany = hub.ledger.GetLedgerEntries({ ids: Array.from({ length: 10_001 }, () => 'x') })
    await expect(tooMany).rejects.toThrow('at most 10000 ids')
  })
})

test('An unreadable item is a fault, and other items are not affected', async () => {
  const answers = await prepare(
    hub,
    prepareItem({ amount: '0' }),
    prepareItem(),
    prepareItem({ amount: '1.50' }),
    prepareItem({ expiresAt: 'tomorrow' }),
    prepareItem({ settles: 99 as never }),
    prepareItem({ transferId: '' }),
    prepareItem(),
  )
  expect(wordsOf(answers)).toEqual([
    'FAULT',
    'RESERVED',
    'FAULT',
    'FAULT',
    'FAULT',
    'FAULT',
    'RESERVED',
  ])
  const id = answers[1]?.transferId ?? ''
  const tooLong = fulfilItem(id, { evidence: Buffer.alloc(16_385) })
  expect(wordsOf(await fulfil(hub, tooLong))).toEqual(['FAULT'])
  const longest = fulfilItem(id, { evidence: Buffer.alloc(16_384) })
  expect(wordsOf(await fulfil(hub, longest))).toEqual(['POSTED'])
})

test('A transfer settled gross at once moves the settlement accounts in its post', async () => {
  const item = prepareItem({ amount: '100', settlementModelId: 2, settles: 'GROSS_IMMEDIATE' })
  await prepare(hub, item)
  const [posted] = await fulfil(hub, fulfilItem(item.transferId))
  expect(posted).toMatchObject({ outcome: 'POSTED', settles: 'GROSS_IMMEDIATE' })
  expect(await line()).toEqual(['0', '-900', '0', '-1100', '2000', '0'])
})
