/** Verify finds every kind of difference and describes it in a sentence. */
import {
  depositTo,
  differencesIn,
  fulfil,
  fulfilItem,
  onboard,
  openHubAccounts,
  openWorld,
  prepare,
  prepareItem,
  release,
  releaseItem,
  succeeded,
  type ParticipantLifecycleWorld,
} from '@causeway/participant-lifecycle/testing'
import { randomUUID } from 'node:crypto'
import { verifyLedger } from '@causeway/ledger/testing'
import { Outage } from '@causeway/process'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'

let hub: ParticipantLifecycleWorld
let reserved: string
let posted: string
let gross: string
let voided: string
let tombstone: string

const tables = ['entries', 'journal', 'window_net']

beforeAll(async () => {
  hub = await openWorld()
  // The tests meddle with the journal.
  await hub.sql(`alter table journal disable trigger user`)
  await openHubAccounts(hub)
  await onboard(hub, 'greenbank')
  await onboard(hub, 'bluewallet')
  succeeded(await depositTo(hub.participants, 'greenbank', '50'))
  const item = prepareItem
  const grossAtOnce = { settlementModelId: 2, settles: 'GROSS_IMMEDIATE' } as const
  const items = [item(), item({ amount: '100' }), item({ ...grossAtOnce }), item()]
  const refused = item({ amount: '10000' })
  await prepare(hub, ...items, refused)
  ;[reserved, posted, gross, voided] = items.map(({ transferId }) => transferId) as [
    string,
    string,
    string,
    string,
  ]
  tombstone = item().transferId
  await fulfil(hub, fulfilItem(posted), fulfilItem(gross))
  await release(hub, releaseItem(voided), releaseItem(tombstone))
  await owe('20')
  await hub.sql(`alter table entries drop constraint posted_in_one_window_or_gross`)
  for (const table of [...tables, 'accounts']) {
    await hub.sql(`create table kept_${table} as table ${table}`)
  }
})

/** A settlement leaves bluewallet an amount to pay. */
async function owe(amount: string): Promise<void> {
  const entry = {
    entryId: randomUUID(),
    debitAccountType: 'HUB_MULTILATERAL_SETTLEMENT',
    creditParticipant: 'bluewallet',
    creditAccountType: 'POSITION',
    amount,
    currency: 'USD',
    awaitsFundsOut: true,
  }
  const step = { settlementId: 1, entries: [entry], isFirst: false }
  expect(await hub.ledger.PostSettlementEntries(step)).toMatchObject({ outcome: 'POSTED' })
}

afterAll(() => hub.stop())

beforeEach(async () => {
  expect(await differencesIn(hub)).toEqual([])
})

afterEach(async () => {
  for (const table of tables) {
    await hub.sql(`delete from ${table}`)
    await hub.sql(`insert into ${table} select * from kept_${table}`)
  }
  await hub.sql(`update accounts set debits_posted = kept.debits_posted, excluded = kept.excluded,
    unpaid = kept.unpaid, unpaid_batch = kept.unpaid_batch,
    excluded_percentage = kept.excluded_percentage,
    credits_pending = kept.credits_pending from kept_accounts kept where kept.id = accounts.id`)
})

test('Every account is compared', async () => {
  const { accountsCompared } = await hub.ledger.VerifyLedger({})
  expect(accountsCompared).toBe('6')
})

const planted: readonly (readonly [string, () => string, () => readonly RegExp[]])[] = [
  [
    'a balance that its journal does not explain',
    () => `update accounts set debits_posted = debits_posted + 5 where type = 'POSITION'
      and participant_id = (select id from participants where name = 'greenbank')`,
    () => [
      /^Account \d+ \(greenbank, POSITION, USD\) holds posted debits 101.0005, its journal makes 101\.$/,
      /^The posted debits of all USD accounts are 2173.0005, their credits 2173\.$/,
    ],
  ],
  [
    'pending money that does not cancel out',
    () => `update accounts set credits_pending = 0 where type = 'POSITION'`,
    () => [
      /^Account \d+ \(bluewallet, POSITION, USD\) holds pending credits 0, its journal makes 1\.$/,
      /^The pending debits of all USD accounts are 1, their credits 0\.$/,
    ],
  ],
  [
    'a journal line that was lost',
    () => `delete from journal where entry_id = '${posted}' and step = 'POST'`,
    () => [
      /^Account \d+ .* posted debits 101, its journal makes 1\.$/,
      /^Account \d+ .* pending debits 1, its journal makes 101\.$/,
      /^Account \d+ .* posted credits 121, its journal makes 21\.$/,
      /^Account \d+ .* pending credits 1, its journal makes 101\.$/,
      new RegExp(
        `^Entry ${posted} \\(TRANSFER, POSTED\\) has the journal steps RESERVE instead of POST RESERVE\\.$`,
      ),
    ],
  ],
  [
    'an entry that contradicts its journal',
    () => `update entries set outcome = 'VOIDED', window_id = null where id = '${posted}'`,
    () => [
      new RegExp(`^Entry ${posted} .* POST RESERVE instead of RESERVE VOID\\.$`),
      /^Window 1 has a net of 100 in 1 transfers for account \d+ under model 1, its entries make 0 in 0\.$/,
      /^Window 1 has a net of -100 in 1 transfers/,
    ],
  ],
  [
    'an amount that was changed afterwards',
    () => `update entries set amount = amount + 1 where id = '${reserved}'`,
    () => [
      new RegExp(`^Entry ${reserved} .* RESERVE \\(of another amount or between other accounts\\)`),
    ],
  ],
  [
    'an entry that is gone',
    () => `delete from entries where id = '${voided}'`,
    () => [
      new RegExp(`^The journal has RESERVE of 1 for ${voided}, which is not an entry\\.$`),
      new RegExp(`^The journal has VOID of 1 for ${voided}, which is not an entry\\.$`),
    ],
  ],
  [
    'a posted transfer in no window',
    () => `update entries set window_id = null where id = '${posted}'`,
    () => [
      new RegExp(`^The posted transfer ${posted} of 100 \\(NET\\) is in no window\\.$`),
      /^Window 1 has a net of 100/,
      /^Window 1 has a net of -100/,
    ],
  ],
  [
    'a gross transfer in a window',
    () => `update entries set window_id = 1 where id = '${gross}'`,
    () => [
      new RegExp(`^The posted transfer ${gross} of 1 \\(GROSS_IMMEDIATE\\) is in window 1\\.$`),
      /under model 2, its entries make 1 in 1\.$/,
      /under model 2, its entries make -1 in 1\.$/,
    ],
  ],
  [
    'a posted transfer in a window that does not exist',
    () => `update entries set window_id = 9 where id = '${posted}'`,
    () => [/is in window 9\.$/, /^Window 1 /, /^Window 1 /, /^Window 9 /, /^Window 9 /],
  ],
  [
    'an exclusion of cover without a reservation',
    () => `update accounts set excluded = 70000 where type = 'SETTLEMENT'
      and participant_id = (select id from participants where name = 'greenbank')`,
    () => [/^Account \d+ \(greenbank, SETTLEMENT, USD\) excludes 7, its reservation of cover 0\.$/],
  ],
  [
    'an excluded percentage without a reservation',
    () => `update accounts set excluded_percentage = 250000 where type = 'SETTLEMENT'
      and participant_id = (select id from participants where name = 'greenbank')`,
    () => [
      /^Account \d+ \(greenbank, SETTLEMENT, USD\) excludes 25 % of its deposit, its reservation of cover 0 %\.$/,
    ],
  ],
  [
    'an unpaid amount that no settlement left',
    () => `update accounts set unpaid = 70000, unpaid_batch = 3 where type = 'SETTLEMENT'
      and participant_id = (select id from participants where name = 'greenbank')`,
    () => [
      /^Account \d+ \(greenbank, SETTLEMENT, USD\) has 7 unpaid since batch 3, settlements and funds out make 0 since batch 0\.$/,
    ],
  ],
  [
    'an unpaid amount with a wrong batch',
    () => `update accounts set unpaid_batch = unpaid_batch - 1 where unpaid > 0`,
    () => [
      /^Account \d+ \(bluewallet, .*\) has 20 unpaid since batch \d+, settlements and funds out make 20 since batch \d+\.$/,
    ],
  ],
  [
    'a fee that was held and is not charged',
    () => `update entries set fee = 500, fee_model_id = 9 where id = '${posted}'`,
    () => [
      new RegExp(`^The posted transfer ${posted} is not charged the fee of 0.05 that was held`),
      new RegExp(
        `^Entry ${posted} .* POST RESERVE instead of FEE_RESERVE FEE_VOID POST RESERVE\\.$`,
      ),
    ],
  ],
  [
    'a net that was changed',
    () => `update window_net set net = net + 10000, transfers_count = 2 where net > 0`,
    () => [/^Window 1 has a net of 101 in 2 transfers .* its entries make 100 in 1\.$/],
  ],
]

test.each(planted)('Verify finds %s', async (_, meddle, sentences) => {
  await hub.sql(meddle())
  const differences = await differencesIn(hub)
  const expected = sentences()
  expect(differences).toHaveLength(expected.length)
  for (const [index, sentence] of expected.entries()) expect(differences[index]).toMatch(sentence)
})

describe('a comparison', () => {
  const signal = new AbortController().signal

  test('A comparison in slices of one page, one net at a time, gives the same result', async () => {
    const bounds = { seed: 7n, signal, pages_max: 1, nets_max: 1 }
    const { accountsCompared, differences } = await verifyLedger(hub.database, bounds)
    expect([accountsCompared, differences]).toEqual([6, []])
    await hub.sql(`update window_net set net = net + 10000 where net > 0`)
    await hub.sql(`delete from entries where id = '${voided}'`)
    const found = await verifyLedger(hub.database, bounds)
    expect([...found.differences].sort()).toEqual([...(await differencesIn(hub))].sort())
    expect(found.differences).toHaveLength(3)
  })

  test('A comparison while money moves and windows close finds no difference, and includes what has moved', async () => {
    const stop = new AbortController()
    let compared = 0
    let windowId = 1
    const windows_max = 8 // Each of the comparisons looks at every window.
    const moving = (async () => {
      while (!stop.signal.aborted) {
        const items = Array.from({ length: 20 }, () => prepareItem({ amount: '0.01' }))
        await prepare(hub, ...items)
        await fulfil(hub, ...items.slice(0, 8).map(({ transferId }) => fulfilItem(transferId)))
        await release(hub, ...items.slice(8, 16).map(({ transferId }) => releaseItem(transferId)))
        if (windowId >= windows_max) continue
        const rotation = { requestId: randomUUID(), windowId, nextWindowId: windowId + 1 }
        if ((await hub.ledger.RotateSettlementWindow(rotation)).outcome === 'ROTATED') windowId++
      }
    })()
    try {
      for (; compared < 5; compared++) {
        const bounds = { seed: BigInt(compared), signal, pages_max: 1, nets_max: 3 }
        expect((await verifyLedger(hub.database, bounds)).differences).toEqual([])
      }
    } finally {
      stop.abort()
      await moving
    }
    await hub.sql(`update journal set amount = amount + 1 where entry_id in (select id from entries
      where window_id = ${windowId - 1} order by id limit 1) and step = 'POST'`)
    expect((await differencesIn(hub)).length).toBeGreaterThan(0)
    await hub.sql(`update current_window set window_id = 1`)
    await hub.sql(`truncate window_rotations`)
    await hub.sql(`update accounts set debits_pending = kept.debits_pending,
      credits_posted = kept.credits_posted, batch = kept.batch
      from kept_accounts kept where kept.id = accounts.id`)
  }, 60_000)

  test('A comparison stops before its next statement when its caller is gone', async () => {
    const gone = AbortSignal.abort(new Outage('the caller is gone'))
    await expect(verifyLedger(hub.database, { seed: 1n, signal: gone })).rejects.toThrow(
      'the caller is gone',
    )
  })
})
