/** What must be right after each history, whatever has struck. */
import { ledgerService, type Settlement } from '@causeway/protos'
import { publish_ms_max } from '../../hub/engine.ts'
import { final_ms } from '../../hub/services.ts'
import type { Supervisor } from '../../hub/supervisor.ts'
import type { Cluster } from '../../kafka/cluster.ts'
import type { SqlServer } from '../../sql/server.ts'
import type { AuditedAct, AuditLog } from './audit-log.ts'
import type { Backlog } from './backlog.ts'
import type { Balances } from './balances.ts'
import { judgeBulk } from './bulk-oracle.ts'
import type { BulkRecord } from '../bulks.ts'
import { judgeChanges } from './changes-oracle.ts'
import type { Changed } from '../changes.ts'
import type { Differences } from './differences.ts'
import { judgeLinks } from './link-oracle.ts'
import type { LinkRecord } from '../links/link-record.ts'
import { endsOf, wasInTime } from './model.ts'
import { judgeMonths } from './months.ts'
import type { Plan } from '../plan/plan.ts'
import { isAccepted, type End, type Question, type TransferRecord } from '../record.ts'
import { inEffect, mayBeOff, wasOff, type Switched } from '../switches.ts'
import type { Unpaid } from './unpaid.ts'

export interface HistoryEvidence {
  readonly plan: Plan
  /** When it began. */
  readonly began_ms: number
  readonly records: readonly TransferRecord[]
  readonly bulks: readonly BulkRecord[]
  readonly links: readonly LinkRecord[]
  /** What is wrong with what the hub has relayed. */
  readonly relayed: readonly string[]
  readonly alarms: readonly string[]
  /** What is wrong with the events that the bus has delivered. */
  readonly announced: readonly string[]
  readonly settled: readonly Settlement[]
  /** What has to be in the audit log. */
  readonly audited: readonly AuditedAct[]
  /** What is wrong with funds that were moved. */
  readonly funds: readonly string[]
  readonly switched: readonly Switched[]
  readonly changed: Changed
}

export interface OracleSources {
  readonly supervisor: Supervisor
  readonly server: SqlServer
  /** Undefined: the hub is one process. */
  readonly cluster: Cluster | undefined
  readonly balances: Balances
  readonly unpaid: Unpaid
  readonly auditLog: AuditLog
  readonly backlog: Backlog
  readonly differences: Differences
}

const patient = { deadline_ms: 60_000 }
const dead_letters_max = 10
/** What processing an expired transfer takes. */
const work_ms = 500
/** The step between two moments of a watermark of Kafka, and the difference of clocks that is allowed. */
const watermark_ms = 5_000

/** Everything that is wrong, as sentences; adds what was committed to the balances. */
export async function judge(
  judged: OracleSources,
  evidence: HistoryEvidence,
): Promise<readonly string[]> {
  const { supervisor, server, cluster, balances, unpaid, auditLog, backlog, differences } = judged
  const { records, bulks, links, plan, alarms, settled } = evidence
  const ids = [...records.map(({ id }) => id), ...bulks.flatMap(({ itemIds }) => itemIds)]
  const outcomes = await outcomesOf(supervisor, ids)
  const isUndisturbed = plan.faults.length === 0
  const isFlooded = bulks.some(({ planned }) => planned.floods !== undefined)
  const switched = inEffect(evidence.switched, { isUndisturbed })
  const { wrong, capped, free } = await judgeChanges(supervisor, records, evidence.changed)
  // What is known of an FSP that is off is known later elsewhere than in the ledger.
  const isAnswered = isUndisturbed && switched.length === 0
  const ofTransfers = records.flatMap((record) => [
    ...judgeTransfer(record, switched, {
      isUndisturbed,
      isFlooded,
      isCapped: capped.has(record.id),
      final_ms: finalOn(cluster),
    }),
    ...record.questions.flatMap((question) => judgeQuestion(record, question, isAnswered)),
    ...compare(record, outcomes.get(record.id) ?? 'nothing'),
  ])
  for (const record of records) balances.count(record, free.has(record.id))
  for (const bulk of bulks) balances.countItems(bulk)
  const ofSettlements = settled.flatMap((settlement) => balances.settle(settlement))
  return [
    ...ofTransfers,
    ...wrong,
    ...bulks.flatMap((bulk) => judgeBulk(bulk, outcomes, switched)),
    ...(await judgeLinks(supervisor, links, {
      isUndisturbed: isUndisturbed && plan.acts.length === 0,
      mayStay: plan.faults.some(({ type }) => type === 'CALLBACK'),
    })),
    ...ofSettlements,
    ...evidence.relayed,
    ...evidence.funds,
    ...evidence.announced,
    ...(await wrongAnnouncements(server, records)),
    ...wrongRecords(cluster, records),
    ...(cluster === undefined ? await backlog.judge(server) : []),
    ...(await balances.compare(supervisor)),
    ...(await unpaid.judge(supervisor, plan, settled)),
    ...(await auditLog.judge(supervisor, evidence.audited)),
    ...(await judgeMonths(supervisor, server, { ...evidence, bulkIds: bulks.map(({ id }) => id) })),
    ...(await differences.judge(supervisor, plan)),
    ...(await deadLetters(supervisor)),
    ...unlawful(alarms, plan).map((alarm) => `an alarm that nothing lawful causes: ${alarm}`),
  ]
}

/** Over Kafka nothing expires before what may still be on its way to the log has arrived there. */
function finalOn(cluster: Cluster | undefined): number {
  return final_ms + work_ms + (cluster === undefined ? 0 : publish_ms_max + watermark_ms)
}

interface Quiet {
  readonly isUndisturbed: boolean
  /** Messages wait for their turn, so that a payee FSP may be asked too late. */
  readonly isFlooded: boolean
  readonly isCapped: boolean
  /** When it ends after its expiration, at the latest, if it is undisturbed. */
  readonly final_ms: number
}

function judgeTransfer(
  record: TransferRecord,
  switched: readonly Switched[],
  { isUndisturbed, isFlooded, isCapped, final_ms: latest_ms }: Quiet,
): readonly string[] {
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
  const { payer, payee } = planned
  const payment = { payer, payee, from_ms: Math.min(...prepare.received_ms), to_ms: ended_ms }
  const isOff = mayBeOff(payment, switched)
  const right = endsOf(record, {
    isUndisturbed: isUndisturbed && !isFlooded,
    mayBeOff: isOff,
    isCapped,
  })
  if (payerEnds.includes('COMMITTED') && wasOff(payment, switched)) {
    found.push(`${what} was committed while one of the two was off`)
  }
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
  // Only the clock of the ledger decides, which is right.
  if (payerEnds[0] === 'EXPIRED' && ended_ms < expires_ms) {
    found.push(`${what} expired ${expires_ms - ended_ms} ms before its expiration`)
  }
  if (isUndisturbed) found.push(...judgeUndisturbed(record, what))
  if (isUndisturbed && asked > 1) found.push(`the payee FSP of ${what} was asked ${asked} times`)
  if (isUndisturbed && ended_ms > expires_ms + latest_ms) {
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
  INVALID: ['VOIDED', 'REFUSED'],
  EXPIRED: ['VOIDED', 'REFUSED'],
  NO_COVER: ['REFUSED'],
  CAP_REACHED: ['REFUSED'],
  UNKNOWN_PAYEE: ['REFUSED'],
  NOT_TAKEN: ['VOIDED'],
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

/** Events about a transfer that are no step of it. */
const noSteps: readonly string[] = ['TransferQueryResponse', 'TransferPrepareDuplicateCheckFailed']

const announcedOf = `
  select key, count(*) filter (where type = 'TransferPrepared')::integer as asks,
    count(*) filter (where type <> 'TransferPrepared')::integer as ends
  from bus.log
  where topic = 'transfers' and key = any($1)
    and type <> all($2)
  group by key`

/** Each step of a transfer is announced once, however often it is delivered. */
async function wrongAnnouncements(
  server: SqlServer,
  records: readonly TransferRecord[],
): Promise<readonly string[]> {
  const rows = await server.read<Announced>(announcedOf, [records.map(({ id }) => id), noSteps])
  return rows
    .filter(({ asks, ends }) => asks > 1 || ends !== 1)
    .map(
      ({ key, asks, ends }) =>
        `${key} was announced as reserved ${asks} times, as final ${ends} times`,
    )
}

/** The same at the brokers, which may have an event several times. */
function wrongRecords(
  cluster: Cluster | undefined,
  records: readonly TransferRecord[],
): readonly string[] {
  const ids = new Set(records.map(({ id }) => id))
  const steps = new Map<string, Set<string>>()
  for (const { key, headers } of cluster?.read('transfers') ?? []) {
    const [transferId, type, id] = [key, headers.ce_type, headers.ce_id].map(String)
    if (transferId === undefined || !ids.has(transferId) || type === undefined) continue
    if (noSteps.includes(type)) continue
    const step = `${transferId} as ${type === 'TransferPrepared' ? 'reserved' : 'final'}`
    steps.set(step, (steps.get(step) ?? new Set()).add(String(id)))
  }
  return [...steps]
    .filter(([, events]) => events.size > 1)
    .map(([step, events]) => `the brokers have ${events.size} events that announce ${step}`)
}

async function deadLetters(supervisor: Supervisor): Promise<readonly string[]> {
  const letters = await supervisor.ask(({ bus }) => bus.deadLetters(dead_letters_max))
  return letters.map(({ type, reason }) => `a dead letter: ${type}: ${reason}`)
}

/**
 * Lawful are: the alarm about a payee FSP that refuses what it has fulfilled; that items of bulks do not
 * expire yet, where an FSP floods the hub with messages about them; that a clock is ahead, where one was
 * set; that something is refused or has failed and is tried again, or the refusal itself, where the database
 * or a call refuses what no outage explains; and errors of attempts that are repeated, while something
 * breaks.
 */
function unlawful(alarms: readonly string[], { faults, bulks }: Plan): readonly string[] {
  const isSet = faults.some(({ type }) => type === 'CLOCK')
  const isFlooded = bulks.some(({ floods }) => floods !== undefined)
  const isRefused = faults.some(
    (fault) => fault.type === 'LOCK_OUT' || (fault.type === 'CALL' && isNoOutage.has(fault.code)),
  )
  return alarms
    .filter((line) => faults.length === 0 || /ALARM|"alarm":/.test(line))
    .filter((line) => !line.includes('REJECT_AFTER_COMMIT'))
    .filter((line) => !(isFlooded && line.includes(heldBack)))
    .filter((line) => !(isSet && line.includes('ALARM the clock of')))
    .filter((line) => !(isRefused && saysRefused.test(line)))
}

const heldBack = '"alarm":"TIMEOUTS_HELD_BACK","detail":"a message about a bulk transfer'
/** RESOURCE_EXHAUSTED, INTERNAL, UNAUTHENTICATED */
const isNoOutage: ReadonlySet<number> = new Set([8, 13, 16])
const saysRefused =
  /ALARM (?:.*(?:refused|failed), tried again|refused until|every message|the ledger's lock)|: injected/
