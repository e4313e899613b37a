/** What must be right after each history, whatever has struck. */
import { formatAmount, parseAmount } from '@causeway/money'
import { ledgerService, participantsService, settlementReportsService } from '@causeway/protos'
import type { HubProcess } from '../hub/process.ts'
import { final_ms } from '../hub/services.ts'
import type { Supervisor } from '../hub/supervisor.ts'
import { endsOf, wasInTime } from './model.ts'
import { fsps, type Plan } from './plan.ts'
import type { End, TransferRecord } from './record.ts'

export interface Evidence {
  readonly plan: Plan
  readonly records: readonly TransferRecord[]
  readonly alarms: readonly string[]
  /** Whether a process has ended meanwhile. */
  readonly hasEnded: boolean
}

/** What each FSP owes, by what FSPs have learned since the beginning. */
export type Positions = Map<string, bigint>

const patient = { deadline_ms: 60_000 }
const dead_letters_max = 10
/** What processing an expired transfer takes. */
const work_ms = 500

/** Everything that is wrong, as sentences; adds what was committed to the positions. */
export async function judge(
  supervisor: Supervisor,
  evidence: Evidence,
  positions: Positions,
): Promise<readonly string[]> {
  const { records, plan, alarms } = evidence
  const outcomes = await outcomesOf(supervisor, records)
  const isUndisturbed = plan.faults.length === 0
  const ofTransfers = records.flatMap((record) => [
    ...judgeTransfer(record, isUndisturbed),
    ...compare(record, outcomes.get(record.id) ?? 'nothing'),
  ])
  for (const record of records) count(positions, record)
  return [
    ...ofTransfers,
    ...(await wrongPositions(supervisor, positions)),
    ...(await differences(supervisor)),
    ...(await deadLetters(supervisor)),
    ...unlawful(alarms, plan).map((alarm) => `an alarm that nothing lawful causes: ${alarm}`),
  ]
}

function judgeTransfer(record: TransferRecord, isUndisturbed: boolean): readonly string[] {
  const { id, ends, asked, planned, ended_ms = Infinity, expires_ms } = record
  const found: string[] = []
  const words = [...ends.values()]
  if (ends.size !== 1) found.push(`${id} was announced to end ${ends.size} times: ${words.join()}`)
  if (asked.size > 1) found.push(`the payee FSP of ${id} was asked by ${asked.size} announcements`)
  const right = endsOf(record, isUndisturbed)
  for (const end of words) {
    if (!right.has(end)) {
      found.push(`${id} (${describe(planned)}) ended as ${end}; right: ${[...right].join(' or ')}`)
    }
  }
  if (wasInTime(record) && words.includes('EXPIRED')) {
    found.push(`${id} was answered in time and expired`)
  }
  if (isUndisturbed && ended_ms > expires_ms + final_ms + work_ms) {
    found.push(`${id} ended ${ended_ms - expires_ms} ms after its expiration`)
  }
  return found
}

function describe({ payer, payee, answers }: TransferRecord['planned']): string {
  return `${payer} to ${payee}, ${answers.join(' then ')}`
}

const ledgerOutcomes: Readonly<Record<End, readonly string[]>> = {
  COMMITTED: ['POSTED'],
  REJECTED: ['VOIDED'],
  WRONG_FULFILMENT: ['VOIDED'],
  EXPIRED: ['VOIDED', 'REFUSED'],
  NO_COVER: ['REFUSED'],
  UNKNOWN_PAYEE: ['REFUSED'],
}

function compare({ id, ends }: TransferRecord, outcome: string): readonly string[] {
  return [...ends.values()]
    .filter((end) => !ledgerOutcomes[end].includes(outcome))
    .map((end) => `${id} ended as ${end}, and the ledger holds ${outcome}`)
}

async function outcomesOf(
  supervisor: Supervisor,
  records: readonly TransferRecord[],
): Promise<ReadonlyMap<string, string>> {
  const { entries } = await supervisor.ask(({ grpc }) =>
    grpc
      .client(ledgerService, 'participant-lifecycle')
      .GetLedgerEntries({ ids: records.map(({ id }) => id) }, patient),
  )
  return new Map(entries.map(({ id, outcome }) => [id, outcome]))
}

function count(positions: Positions, { ends, planned }: TransferRecord): void {
  if (![...ends.values()].includes('COMMITTED')) return
  const { payer, payee, amount } = planned
  const units = parseAmount(amount) ?? 0n
  positions.set(payer, (positions.get(payer) ?? 0n) + units)
  positions.set(payee, (positions.get(payee) ?? 0n) - units)
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
 * Lawful are: the alarm about a payee FSP that refuses what it has fulfilled; that the hub is refused, while
 * it is; and errors of attempts that are repeated, while something breaks.
 */
function unlawful(alarms: readonly string[], { faults }: Plan): readonly string[] {
  const isRefused = faults.some(
    (fault) =>
      fault.type === 'LOCK_OUT' || (fault.type === 'CALL' && fault.code === unauthenticated),
  )
  if (isRefused) return []
  const unexpected = alarms.filter((line) => !line.includes('REJECT_AFTER_COMMIT'))
  return faults.length === 0 ? unexpected : unexpected.filter((line) => /ALARM|"alarm":/.test(line))
}

const unauthenticated = 16
