/**
 * Gathers the facts of a day: sums from the lines, slice by slice; from other services the fees that
 * have no line yet, the transfers that PISPs began, and the positions. What this process holds grows
 * with the participants and the slices, not with the payments.
 */
import { setImmediate as giveWay } from 'node:timers/promises'
import type { Calls } from '@causeway/grpc'
import { parseDecimal } from '@causeway/money'
import type { Database } from '@causeway/postgres'
import { Outage } from '@causeway/process'
import type {
  ledgerService,
  liquidityService,
  Participant,
  participantsService,
  thirdPartyTransactionsService,
  TransferRow,
} from '@causeway/protos'
import { feeLine } from '../lines/fee.ts'
import { recordLines } from '../lines/store.ts'
import type { OriginsOf } from '../reports/serve.ts'
import type { DayFacts, Flow, Period, PositionAtEnd, ThirdPartyFlow } from './domain/facts.ts'
import { addFlows, addLatencies, addThirdParty, openSums } from './domain/sums.ts'
import {
  begunOn,
  currenciesWithFees,
  endsBefore,
  flowsIn,
  latenciesIn,
  modelsWithFees,
  singlesIn,
  summarizeLines,
  windowsClosedIn,
  withoutFeeIn,
  type ReportScope,
  type Single,
  type Slice,
} from './facts-store.ts'
import { schemeScope } from './domain/calendar.ts'

export interface GatherParts {
  readonly db: Database
  readonly participants: Pick<Calls<typeof participantsService>, 'GetParticipantInfo'>
  readonly liquidity: Pick<Calls<typeof liquidityService>, 'RequestAccountPositionHistory'>
  readonly ledger: Pick<Calls<typeof ledgerService>, 'GetLedgerEntries'>
  readonly thirdParties: Pick<
    Calls<typeof thirdPartyTransactionsService>,
    'SearchThirdPartyTransactions'
  >
  readonly originsOf: OriginsOf
}

export interface DayWanted {
  readonly day: string
  readonly scope: string
  /** Where the day begins if the one before has no report. */
  readonly begin: Date
  readonly until: Date
  /** The currencies with an end of day of their own. */
  readonly ownScopes: readonly string[]
  /** Of the version before: what an account was at the end of the day never changes. */
  readonly positions: readonly PositionAtEnd[]
  /** Called after each slice and each part of a page; throws when the work is to stop. */
  readonly onSlice: () => Promise<void>
}

const slice_ms = 15 * 60_000
/** A fee is posted before the line of its transfer gets its time. */
const fee_slack_ms = 60_000
/** Each page is found by reading its whole slice. */
const page_max = 20_000
/** Of what other services are asked for at once. */
const asked_max = 1_000
const deadline = { deadline_ms: 30_000 }

export async function gatherDay(parts: GatherParts, wanted: DayWanted): Promise<DayFacts> {
  const { participants: all } = await parts.participants.GetParticipantInfo({ names: [] }, deadline)
  // A PISP and the hosted auth service move no money.
  const fsps = all.filter(({ isHub, type }) => !isHub && type === 'DFSP')
  const part = await partOf(parts.db, wanted, fsps)
  const slices = slicesOf(part, wanted.until)
  await summarizeLines(parts.db)
  await storeFees(parts, part, slices, fsps, wanted)
  const sums = openSums()
  for (const slice of slices) {
    addFlows(sums, await flowsIn(parts.db, part, slice))
    addLatencies(sums, await latenciesIn(parts.db, part, slice))
    await pause(wanted)
  }
  if (await hasThirdParties(parts)) {
    for (const slice of slices) {
      await forEachPage(
        (after) => singlesIn(parts.db, part, slice, { after, limit: page_max }),
        ({ transferId }) => transferId,
        async (rows) => {
          addThirdParty(sums, await thirdPartyIn(parts, rows))
          await wanted.onSlice()
        },
      )
      await pause(wanted)
    }
  }
  const flows = [...sums.flows.values()]
  const periods = periodsOf(part, wanted, fsps, flows)
  return {
    periods,
    flows,
    latencies: [...sums.latencies.values()],
    thirdParty: [...sums.thirdParty.values()],
    positions: await positionsOf(parts, fsps, periods, wanted),
    windows: await windowsClosedIn(parts.db, part, { from: part.from, until: wanted.until }),
    participants: fsps.map(({ name }) => name).toSorted(),
  }
}

async function pause({ onSlice }: DayWanted): Promise<void> {
  await giveWay()
  await onSlice()
}

/** Each currency begins where its last reported day has ended; else with the scope's day. */
async function partOf(
  db: Database,
  { day, scope, begin, ownScopes }: DayWanted,
  fsps: readonly Participant[],
): Promise<ReportScope> {
  const begun = await begunOn(db, day, scope)
  const from = begun.lastEnd ?? begin
  const begins = new Map([...(await endsBefore(db, day)), ...begun.own])
  const others =
    scope === schemeScope ? ownScopes.filter((currency) => !begun.own.has(currency)) : []
  return {
    scope,
    others: [...new Set([...others, ...begun.taken])],
    begins,
    from,
    participants: fsps.map(({ name }) => name),
  }
}

function isIn({ scope, others }: ReportScope, currency: string): boolean {
  return scope === schemeScope ? !others.includes(currency) : currency === scope
}

function slicesOf(part: ReportScope, until: Date): readonly Slice[] {
  const begins = [...part.begins].flatMap(([currency, time]) =>
    isIn(part, currency) ? [time] : [],
  )
  const first = Math.min(part.from.getTime(), ...begins.map((time) => time.getTime()))
  const slices: Slice[] = []
  for (let from = first; from < until.getTime(); from += slice_ms) {
    const end = Math.min(from + slice_ms, until.getTime())
    slices.push({ from: new Date(from), until: new Date(end) })
  }
  return slices
}

/** The currencies in which there are accounts, or were payments. */
function periodsOf(
  part: ReportScope,
  { until }: DayWanted,
  fsps: readonly Participant[],
  flows: readonly Flow[],
): readonly Period[] {
  const currencies = new Set([
    ...fsps.flatMap((fsp) => positionAccounts(fsp).map(({ currency }) => currency)),
    ...flows.map(({ currency }) => currency),
  ])
  return [...currencies]
    .filter((currency) => isIn(part, currency))
    .toSorted()
    .map((currency) => ({ currency, from: part.begins.get(currency) ?? part.from, until }))
}

function positionAccounts({ accounts }: Participant) {
  return accounts.filter(({ ledgerAccountType }) => ledgerAccountType === 'POSITION')
}

/** The work gets the rows of each page in parts. */
async function forEachPage<Row>(
  read: (after: string) => Promise<readonly Row[]>,
  keyOf: (row: Row) => string,
  work: (rows: readonly Row[]) => Promise<void>,
): Promise<void> {
  let after = ''
  for (;;) {
    const page = await read(after)
    const last = page.at(-1)
    if (last === undefined) return
    for (let from = 0; from < page.length; from += asked_max) {
      await work(page.slice(from, from + asked_max))
    }
    if (page.length < page_max) return
    after = keyOf(last)
  }
}

/**
 * Fees have lines when their window closes. Those of the day are stored now: the lines are the same,
 * so closing the window finds them.
 */
async function storeFees(
  { db, ledger }: GatherParts,
  part: ReportScope,
  slices: readonly Slice[],
  fsps: readonly Participant[],
  wanted: DayWanted,
): Promise<void> {
  const currencies = (await currenciesWithFees(db)).filter((currency) => isIn(part, currency))
  if (currencies.length === 0) return
  const accounts = feeAccounts(await modelsWithFees(db), fsps)
  const begins = [...part.begins].flatMap(([currency, time]) => (isIn(part, currency) ? time : []))
  const read = { from: latestOf([part.from, ...begins]), until: wanted.until }
  const end = wanted.until.getTime()
  const after = { from: wanted.until, until: new Date(end + fee_slack_ms) }
  for (const slice of [...slices, after]) {
    await forEachPage(
      (id) => withoutFeeIn(db, part, slice, { currencies, after: id, limit: page_max }),
      (id) => id,
      async (ids) => {
        const { entries } = await ledger.GetLedgerEntries(
          { ids: ids.map((id) => `fee-${id}`) },
          deadline,
        )
        const lines = entries
          .filter(({ outcome }) => outcome === 'POSTED')
          .map((entry) => feeLine(entry, accounts))
        // Without its accounts a fee waits for the closing of its window.
        const whole = lines.filter((line) => line.payerAccountId !== null)
        await recordLines(
          db,
          whole.filter((line) => line.payeeAccountId !== null),
          read,
        )
        await wanted.onSlice()
      },
    )
    await pause(wanted)
  }
}

function latestOf(times: readonly Date[]): Date {
  return new Date(Math.max(...times.map((time) => time.getTime())))
}

/** By `model/currency/participant`. */
function feeAccounts(
  models: readonly number[],
  fsps: readonly Participant[],
): ReadonlyMap<string, number> {
  const accounts = fsps.flatMap(({ name, accounts: own }) =>
    own
      .filter(({ ledgerAccountType }) => ledgerAccountType === 'INTERCHANGE_FEE')
      .map(({ id, currency }): [string, number] => [`${currency}/${name}`, id]),
  )
  return new Map(models.flatMap((model) => accounts.map(([key, id]) => [`${model}/${key}`, id])))
}

/** Most hubs have none, and then no transfer needs to be looked up. */
async function hasThirdParties({ thirdParties }: GatherParts): Promise<boolean> {
  const { transactions } = await thirdParties.SearchThirdPartyTransactions({ limit: 1 }, deadline)
  return transactions.length > 0
}

async function thirdPartyIn(
  { originsOf }: GatherParts,
  singles: readonly Single[],
): Promise<readonly ThirdPartyFlow[]> {
  const rows = await originsOf(singles.map(rowOf))
  if (rows.some(({ originUnavailable }) => originUnavailable)) {
    throw new Outage('the origins of transfers are not available')
  }
  const begun = new Set(rows.flatMap((row) => (row.pispFsp === undefined ? [] : [row.transferId])))
  return singles
    .filter(({ transferId }) => begun.has(transferId))
    .map(({ payerFsp, payeeFsp, currency, amount }) => ({
      payerFsp,
      payeeFsp,
      currency,
      count: 1,
      value: BigInt(amount),
    }))
}

/** The members that an origin is found by. */
function rowOf({ transferId, payerFsp, payeeFsp, currency }: Single): TransferRow {
  return {
    transferId,
    kind: 'TRANSFER',
    state: 'COMMITTED',
    payerFsp,
    payeeFsp,
    amount: '',
    currency,
    finalisedAt: '',
    originUnavailable: false,
  }
}

/** The last moment of the day is a millisecond before its end. */
async function positionsOf(
  { liquidity }: GatherParts,
  fsps: readonly Participant[],
  periods: readonly Period[],
  { until, positions: known, onSlice }: DayWanted,
): Promise<readonly PositionAtEnd[]> {
  const currencies = new Set(periods.map(({ currency }) => currency))
  const keyOf = (fsp: string, currency: string) => `${currency} ${fsp}`
  const before = new Map(known.map((one) => [keyOf(one.fsp, one.currency), one]))
  const to = new Date(until.getTime() - 1).toISOString()
  const positions: PositionAtEnd[] = []
  for (const fsp of fsps) {
    for (const { id: accountId, currency } of positionAccounts(fsp)) {
      if (!currencies.has(currency)) continue
      const same = before.get(keyOf(fsp.name, currency))
      if (same !== undefined) {
        positions.push(same)
        continue
      }
      const asked = { name: fsp.name, accountId, to, limit: 1 }
      const { page, refusal } = await liquidity.RequestAccountPositionHistory(asked, deadline)
      const value = parseDecimal(page?.value ?? '')
      if (value === undefined) {
        throw new Error(`no position of ${fsp.name} in ${currency}: ${refusal?.detail ?? ''}`)
      }
      positions.push({ fsp: fsp.name, currency, value })
    }
    await onSlice()
  }
  return positions
}
