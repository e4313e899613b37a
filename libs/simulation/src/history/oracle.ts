/** What must be right after each history, whatever has struck. */
import { formatAmount, parseAmount, parseDecimal } from '@causeway/money'
import {
  ledgerService,
  participantsService,
  settlementReportsService,
  type Settlement,
} from '@causeway/protos'
import { committedItems, judgeBulk } from './bulk-oracle.ts'
import { itemAmount, type BulkRecord } from './bulks.ts'
import type { HubProcess } from '../hub/process.ts'
import { final_ms } from '../hub/services.ts'
import type { Supervisor } from '../hub/supervisor.ts'
import type { SqlServer } from '../sql/server.ts'
import { endsOf, wasInTime } from './model.ts'
import { fsps, type Plan } from './plan.ts'
import { isAccepted, type End, type Question, type TransferRecord } from './record.ts'

export interface Evidence {
  readonly plan: Plan
  readonly records: readonly TransferRecord[]
  readonly bulks: readonly BulkRecord[]
  readonly alarms: readonly string[]
  /** What is wrong with the events that the bus has delivered. */
  readonly announced: readonly string[]
  readonly settled: readonly Settlement[]
}

export interface Judged {
  readonly supervisor: Supervisor
  readonly server: SqlServer
  readonly positions: Positions
}

/** What each FSP owes, by what FSPs have learned since the beginning. */
export type Positions = Map<string, bigint>

const patient = { deadline_ms: 60_000 }
const dead_letters_max = 10
/** What processing an expired transfer takes. */
const work_ms = 500

/** Everything that is wrong, as sentences; adds what was committed to the positions. */
export async function judge(
  { supervisor, server, positions }: Judged,
  { records, bulks, plan, alarms, announced, settled }: Evidence,
): Promise<readonly string[]> {
  const ids = [...records.map(({ id }) => id), ...bulks.flatMap(({ itemIds }) => itemIds)]
  const outcomes = await outcomesOf(supervisor, ids)
  const isUndisturbed = plan.faults.length === 0
  const ofTransfers = records.flatMap((record) => [
    ...judgeTransfer(record, isUndisturbed),
    ...record.questions.flatMap((question) => judgeQuestion(record, question, isUndisturbed)),
    ...compare(record, outcomes.get(record.id) ?? 'nothing'),
  ])
  for (const record of records) count(positions, record)
  for (const bulk of bulks) countItems(positions, bulk)
  const ofSettlements = settled.flatMap((settlement) => settleIn(positions, settlement))
  return [
    ...ofTransfers,
    ...bulks.flatMap((bulk) => judgeBulk(bulk, outcomes)),
    ...ofSettlements,
    ...announced,
    ...(await wrongAnnouncements(server, records)),
    ...(await wrongPositions(supervisor, positions)),
    ...(await differences(supervisor)),
    ...(await deadLetters(supervisor)),
    ...unlawful(alarms, plan).map((alarm) => `an alarm that nothing lawful causes: ${alarm}`),
  ]
}

function judgeTransfer(record: TransferRecord, isUndisturbed: boolean): readonly string[] {
  const {
    id,
    prepare,
    payerEnds,
    payeeEnds,
    asked,
    planned,
    ended_ms = Infinity,
    expires_ms,
  } = record
  if (!isAccepted(prepare)) return []
  const found: string[] = []
  const what = `${id} (${planned.payer} to ${planned.payee}, ${planned.answers.join(' then ')})`
  const right = endsOf(record, isUndisturbed)
  for (const end of new Set(payerEnds)) {
    if (end !== 'ABORTED' && right.has(end)) continue
    found.push(`${what} ended as ${end}; right: ${[...right].join(' or ')}`)
  }
  if (new Set(payerEnds).size > 1) found.push(`${what} ended as ${payerEnds.join(' and ')}`)
  const [end] = payerEnds
  if (payeeEnds.some((each) => !agree(each, end))) {
    found.push(`${what} ended as ${end} for the payer FSP, ${payeeEnds.join()} for the payee FSP`)
  }
  if (wasInTime(record) && payerEnds.includes('EXPIRED')) {
    found.push(`${what} was answered in time and expired`)
  }
  if (isUndisturbed) found.push(...judgeUndisturbed(record, what))
  if (isUndisturbed && asked > 1) found.push(`the payee FSP of ${what} was asked ${asked} times`)
  if (isUndisturbed && ended_ms > expires_ms + final_ms + work_ms) {
    found.push(`${what} ended ${ended_ms - expires_ms} ms after its expiration`)
  }
  return found
}

/** Without faults nobody gets a callback twice, unless it has sent something twice. */
function judgeUndisturbed(
  { planned: { again, answers }, payerEnds, payeeEnds }: TransferRecord,
  what: string,
): readonly string[] {
  const found: string[] = []
  if (again.length === 0 && payerEnds.length !== 1) {
    found.push(`the payer FSP of ${what} got ${payerEnds.length} callbacks about its end`)
  }
  const waitsForPatch = answers[0] === 'RESERVE' && answers.length === 1
  if (waitsForPatch && payerEnds.includes('COMMITTED') && payeeEnds.length !== 1) {
    found.push(`the payee FSP of ${what} got ${payeeEnds.length} callbacks about its end`)
  }
  return found
}

/**
 * A quote is never both given and refused, and terms that the hub has accepted reach the payer FSP. Without
 * faults each question is answered once.
 */
function judgeQuestion(
  { id, planned: { payee } }: TransferRecord,
  { kind, asked, answered, callbacks }: Question,
  isUndisturbed: boolean,
): readonly string[] {
  if (!isAccepted(asked)) return []
  const what = `the ${kind} for ${id}`
  const isAnswered = answered !== undefined && isAccepted(answered)
  const found: string[] = []
  if (kind === 'QUOTE') {
    if (new Set(callbacks).size > 1) found.push(`${what} got ${callbacks.join(' and ')}`)
    if (isAnswered && callbacks.length === 0)
      found.push(`${what} was answered, and nobody learned it`)
  }
  if (!isUndisturbed) return found
  const wanted = payee === 'nobody' ? 'ERROR' : 'ANSWER'
  if (callbacks.length === 0 || callbacks.some((each) => each !== wanted)) {
    found.push(`${what} got ${callbacks.join(' and ') || 'nothing'}; right: ${wanted}`)
  }
  return found
}

/** A PATCH says ABORTED for every end but one. */
function agree(one: End, other: End | undefined): boolean {
  if (one === 'ABORTED') return other !== 'COMMITTED'
  return other === undefined || one === other
}

const ledgerOutcomes: Readonly<Record<End, readonly string[]>> = {
  COMMITTED: ['POSTED'],
  REJECTED: ['VOIDED'],
  WRONG_FULFILMENT: ['VOIDED'],
  EXPIRED: ['VOIDED', 'REFUSED'],
  NO_COVER: ['REFUSED'],
  UNKNOWN_PAYEE: ['REFUSED'],
  ABORTED: ['VOIDED', 'REFUSED'],
}

function compare({ id, payerEnds }: TransferRecord, outcome: string): readonly string[] {
  return [...new Set(payerEnds)]
    .filter((end) => !ledgerOutcomes[end].includes(outcome))
    .map((end) => `${id} ended as ${end}, and the ledger holds ${outcome}`)
}

async function outcomesOf(
  supervisor: Supervisor,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { entries } = await supervisor.ask(({ grpc }) =>
    grpc
      .client(ledgerService, 'participant-lifecycle')
      .GetLedgerEntries({ ids: [...ids] }, patient),
  )
  return new Map(entries.map(({ id, outcome }) => [id, outcome]))
}

interface Announced {
  readonly key: string
  readonly asks: number
  readonly ends: number
}

const announcedOf = `
  select key, count(*) filter (where type = 'TransferPrepared')::integer as asks,
    count(*) filter (where type <> 'TransferPrepared')::integer as ends
  from bus.log
  where topic = 'transfers' and key = any($1)
    and type not in ('TransferQueryResponse', 'TransferPrepareDuplicateCheckFailed')
  group by key`

/** Each step of a transfer is announced once, however often it is delivered. */
async function wrongAnnouncements(
  server: SqlServer,
  records: readonly TransferRecord[],
): Promise<readonly string[]> {
  const rows = await server.read<Announced>(announcedOf, [records.map(({ id }) => id)])
  return rows
    .filter(({ asks, ends }) => asks > 1 || ends !== 1)
    .map(
      ({ key, asks, ends }) =>
        `${key} was announced as reserved ${asks} times, as final ${ends} times`,
    )
}

function count(positions: Positions, { payerEnds, planned }: TransferRecord): void {
  if (!payerEnds.includes('COMMITTED')) return
  const { payer, payee, amount } = planned
  const units = parseAmount(amount) ?? 0n
  positions.set(payer, (positions.get(payer) ?? 0n) + units)
  positions.set(payee, (positions.get(payee) ?? 0n) - units)
}

function countItems(positions: Positions, bulk: BulkRecord): void {
  const { payer, payee } = bulk.planned
  const units = BigInt(committedItems(bulk).size) * (parseAmount(itemAmount) ?? 0n)
  positions.set(payer, (positions.get(payer) ?? 0n) + units)
  positions.set(payee, (positions.get(payee) ?? 0n) - units)
}

/** A settled net is not owed any more; together all nets are nothing. */
function settleIn(positions: Positions, { id, accounts }: Settlement): readonly string[] {
  let sum = 0n
  for (const { participant, net } of accounts) {
    const units = parseDecimal(net) ?? 0n
    sum += units
    positions.set(participant, (positions.get(participant) ?? 0n) - units)
  }
  return sum === 0n ? [] : [`the nets of settlement ${id} sum to ${formatAmount(sum)}`]
}

async function wrongPositions(
  supervisor: Supervisor,
  positions: Positions,
): Promise<readonly string[]> {
  const found: string[] = []
  for (const name of fsps) {
    const { value, reserved } = await supervisor.ask((process) => positionOf(process, name))
    const wanted = formatAmount(positions.get(name) ?? 0n)
    if (value !== wanted)
      found.push(`the position of ${name} is ${value}, by what it has learned ${wanted}`)
    if (reserved !== '0') found.push(`${reserved} of ${name} is still reserved`)
  }
  return found
}

async function positionOf({ grpc }: HubProcess, name: string) {
  const { balances } = await grpc
    .client(participantsService, 'participant-lifecycle')
    .RequestAccountsPositions({ name, currency: 'USD' }, patient)
  const account = balances?.accounts.find((each) => each.ledgerAccountType === 'POSITION')
  return { value: account?.value ?? 'unknown', reserved: account?.reservedValue ?? 'unknown' }
}

async function differences(supervisor: Supervisor): Promise<readonly string[]> {
  const ledger = await supervisor.ask(({ grpc }) =>
    grpc.client(ledgerService, 'participant-lifecycle').VerifyLedger({}, patient),
  )
  const settlements = await supervisor.ask(({ grpc }) =>
    grpc.client(settlementReportsService, 'settlements').VerifySettlements({}, patient),
  )
  return [...ledger.differences, ...settlements.differences].map((each) => `verify: ${each}`)
}

async function deadLetters(supervisor: Supervisor): Promise<readonly string[]> {
  const letters = await supervisor.ask(({ bus }) => bus.deadLetters(dead_letters_max))
  return letters.map(({ type, reason }) => `a dead letter: ${type}: ${reason}`)
}

/**
 * Lawful are: the alarm about a payee FSP that refuses what it has fulfilled; that a clock is ahead, or that
 * the hub is refused, while it is; and errors of attempts that are repeated, while something breaks.
 */
function unlawful(alarms: readonly string[], { faults }: Plan): readonly string[] {
  const isRefused = faults.some(
    (fault) => fault.type === 'LOCK_OUT' || (fault.type === 'CALL' && isNoOutage.has(fault.code)),
  )
  if (isRefused) return []
  const isAhead = faults.some((fault) => fault.type === 'CLOCK')
  const unexpected = alarms
    .filter((line) => !line.includes('REJECT_AFTER_COMMIT'))
    .filter((line) => !(isAhead && line.includes('ALARM the clock of')))
  return faults.length === 0 ? unexpected : unexpected.filter((line) => /ALARM|"alarm":/.test(line))
}

/** RESOURCE_EXHAUSTED, INTERNAL, UNAUTHENTICATED */
const isNoOutage: ReadonlySet<number> = new Set([8, 13, 16])
