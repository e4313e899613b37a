/**
 * The reports of a day, composed of its facts: one for each participant and one for the operator, whose
 * figures are exactly the sums of theirs.
 */
import { errorCatalogue } from '@causeway/fspiop'
import { formatAmount } from '@causeway/money'
import type { DayFacts, Flow, Latency, Period, Side } from './facts.ts'
import { percentilesOf, type Percentiles } from './percentiles.ts'

/** The participant of the operator's report. */
export const operator = ''

export interface Total {
  readonly count: number
  /** A decimal. */
  readonly value: string
}

export interface Transfers {
  readonly total: Total
  readonly single: Total
  readonly bulkItems: Total
  /** Begun by a PISP. */
  readonly thirdParty: Total
}

export interface Failure extends Total {
  readonly errorCode: string
  /** The meaning of the code; empty for a code that the catalogue does not have. */
  readonly description: string
}

export interface Section {
  readonly currency: string
  /** The first moment of the day. */
  readonly from: string
  /** The first moment after it. */
  readonly until: string
  readonly sent: Transfers
  readonly received: Transfers
  readonly fees: { readonly paid: Total; readonly received: Total }
  readonly failures: { readonly sent: readonly Failure[]; readonly received: readonly Failure[] }
  readonly latency: { readonly sent: Percentiles; readonly received: Percentiles }
  /** At the end of the day. Above zero: it owes. */
  readonly position: string
}

export interface WindowNet {
  readonly id: number
  readonly closedAt: string
  readonly nets: readonly {
    readonly participant: string
    readonly currency: string
    readonly settlementModel: string
    readonly net: string
    readonly transfersCount: number
  }[]
}

/** The part of a report that two versions are compared by. */
export interface ReportFacts {
  readonly currencies: readonly Section[]
  readonly windowsClosed: readonly WindowNet[]
  /** Of the operator's report: the figures of each participant. */
  readonly participants?: readonly (Section & { readonly participant: string })[]
}

export function reportsOf(facts: DayFacts): ReadonlyMap<string, ReportFacts> {
  const sections = openSections(facts)
  const ofParticipants = facts.participants.map((name): [string, ReportFacts] => [
    name,
    {
      currencies: facts.periods.flatMap((period) => sections.of(name, period)),
      windowsClosed: windowsOf(facts, name),
    },
  ])
  const ofOperator: ReportFacts = {
    currencies: facts.periods.map((period) => sections.ofAll(period)),
    windowsClosed: windowsOf(facts, operator),
    participants: ofParticipants.flatMap(([participant, { currencies }]) =>
      currencies.map((section) => ({ participant, ...section })),
    ),
  }
  return new Map([[operator, ofOperator], ...ofParticipants])
}

interface Sections {
  /** Empty: the participant has neither an account nor a payment in the currency. */
  of(fsp: string, period: Period): readonly Section[]
  ofAll(period: Period): Section
}

interface ReportParts {
  readonly flows: readonly Flow[]
  readonly latencies: readonly Latency[]
  readonly thirdParty: Readonly<Record<Side, readonly Sum[]>>
  readonly position: bigint | undefined
}

interface Sum {
  readonly count: number
  readonly value: bigint
}

function openSections({ flows, latencies, thirdParty, positions }: DayFacts): Sections {
  const keyOf = (fsp: string, currency: string) => `${currency} ${fsp}`
  const by = <Fact extends { readonly currency: string }>(
    facts: readonly Fact[],
    fspOf: (fact: Fact) => string,
  ) => grouped(facts, (fact) => keyOf(fspOf(fact), fact.currency))
  const flowsBy = by(flows, ({ fsp }) => fsp)
  const latenciesBy = by(latencies, ({ fsp }) => fsp)
  const byPayer = by(thirdParty, ({ payerFsp }) => payerFsp)
  const byPayee = by(thirdParty, ({ payeeFsp }) => payeeFsp)
  const positionsBy = by(positions, ({ fsp }) => fsp)
  return {
    of(fsp, period) {
      const key = keyOf(fsp, period.currency)
      const position = positionsBy.get(key)
      const parts: ReportParts = {
        flows: flowsBy.get(key) ?? [],
        latencies: latenciesBy.get(key) ?? [],
        thirdParty: { SENT: byPayer.get(key) ?? [], RECEIVED: byPayee.get(key) ?? [] },
        position: position && sumOf(position),
      }
      if (position === undefined && parts.flows.length === 0) return []
      return [sectionOf(period, parts)]
    },
    ofAll(period) {
      const inCurrency = <Fact extends { readonly currency: string }>(facts: readonly Fact[]) =>
        facts.filter(({ currency }) => currency === period.currency)
      const ofAll = inCurrency(thirdParty)
      return sectionOf(period, {
        // Refused transfers to an FSP that is no participant belong to no report of a payee FSP.
        flows: inCurrency(flows).filter(({ fsp }) => fsp !== ''),
        latencies: inCurrency(latencies),
        thirdParty: { SENT: ofAll, RECEIVED: ofAll },
        position: sumOf(inCurrency(positions)),
      })
    },
  }
}

function sectionOf(
  { currency, from, until }: Period,
  { flows, latencies, thirdParty, position }: ReportParts,
): Section {
  const transfers = (side: Side) => transfersOf(flows.filter(isCommitted(side)), thirdParty[side])
  const fees = (side: Side) =>
    totalOf(flows.filter((flow) => flow.kind === 'FEE' && flow.side === side))
  const latency = (side: Side) => percentilesOf(latencies.filter((one) => one.side === side))
  return {
    currency,
    from: from.toISOString(),
    until: until.toISOString(),
    sent: transfers('SENT'),
    received: transfers('RECEIVED'),
    fees: { paid: fees('SENT'), received: fees('RECEIVED') },
    failures: { sent: failuresOf(flows, 'SENT'), received: failuresOf(flows, 'RECEIVED') },
    latency: { sent: latency('SENT'), received: latency('RECEIVED') },
    position: formatAmount(position ?? 0n),
  }
}

function isCommitted(side: Side): (flow: Flow) => boolean {
  return (flow) => flow.kind === 'TRANSFER' && flow.state === 'COMMITTED' && flow.side === side
}

function transfersOf(committed: readonly Flow[], thirdParty: readonly Sum[]): Transfers {
  const bulkItems = committed.filter(({ isBulkItem }) => isBulkItem)
  const others = committed.filter(({ isBulkItem }) => !isBulkItem)
  return {
    total: totalOf(committed),
    single: shown(countOf(others) - countOf(thirdParty), sumOf(others) - sumOf(thirdParty)),
    bulkItems: totalOf(bulkItems),
    thirdParty: totalOf(thirdParty),
  }
}

function failuresOf(flows: readonly Flow[], side: Side): readonly Failure[] {
  const aborted = flows.filter((flow) => flow.state === 'ABORTED' && flow.side === side)
  return [...grouped(aborted, ({ errorCode }) => errorCode)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([errorCode, ofCode]) => ({
      errorCode,
      description: meaningOf(errorCode),
      ...totalOf(ofCode),
    }))
}

function grouped<Value>(
  values: readonly Value[],
  keyOf: (value: Value) => string,
): ReadonlyMap<string, readonly Value[]> {
  const groups = new Map<string, Value[]>()
  for (const value of values) {
    const key = keyOf(value)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [value])
    else group.push(value)
  }
  return groups
}

function meaningOf(code: string): string {
  const meanings: Readonly<Record<string, { readonly name: string }>> = errorCatalogue
  return Object.hasOwn(meanings, code) ? (meanings[code]?.name ?? '') : ''
}

function totalOf(sums: readonly Sum[]): Total {
  return shown(countOf(sums), sumOf(sums))
}

function shown(count: number, value: bigint): Total {
  return { count, value: formatAmount(value) }
}

function countOf(sums: readonly Sum[]): number {
  return sums.reduce((all, { count }) => all + count, 0)
}

function sumOf(sums: readonly { readonly value: bigint }[]): bigint {
  return sums.reduce((all, { value }) => all + value, 0n)
}

/** A participant sees the windows that hold a net of its own. */
function windowsOf({ windows }: DayFacts, participant: string): readonly WindowNet[] {
  return windows.flatMap(({ id, closedAt, nets }) => {
    const own = nets.filter((net) => participant === operator || net.participant === participant)
    if (own.length === 0) return []
    return [
      {
        id,
        closedAt,
        nets: own.map(({ model, net, ...rest }) => ({
          participant: rest.participant,
          currency: rest.currency,
          settlementModel: model,
          net: formatAmount(net),
          transfersCount: rest.transfersCount,
        })),
      },
    ]
  })
}
