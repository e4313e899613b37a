/**
 * A settlement step: the intent is stored under the settlement's lock, the ledger posts the
 * movements once for their ids, then the states are saved. Any caller that finds an intent finishes
 * it first, so a crash between two of these loses nothing, and a repeat moves nothing twice.
 */
import { randomUUID } from 'node:crypto'
import type { EventBus } from '@causeway/bus'
import { auditEntry, derivedId } from '@causeway/events'
import type { Calls } from '@causeway/grpc'
import { formatAmount, parseDecimal } from '@causeway/money'
import type { Database, Transaction } from '@causeway/postgres'
import { retrying, type Logger } from '@causeway/process'
import type { ledgerService, SettlementEntry, SettlementState } from '@causeway/protos'
import { finishEach } from '../finish.ts'
import { refuse, textFault, type RefusedCommand } from '../domain/refusal.ts'
import { followContents } from './create.ts'
import {
  committingIn,
  grossMovements,
  grossMovements_max,
  netMovements,
  pairMovements,
  steppingOf,
  type Movement,
  type Rules,
  type Stepping,
} from './domain/movements.ts'
import { decideAbort, decideUpdate, type Fault, type Update } from './domain/settlement.ts'
import {
  endOfStep,
  grossPages,
  intendStep,
  lockWindows,
  openStepOf,
  openSteps,
  pairsOf,
  saveChanges,
  saveContentStates,
  saveSettlementReason,
  saveSettlementState,
  settlementOf,
  statesOf,
  windowsOf,
  type OpenStep,
  type StoredSettlement,
} from './store.ts'

export interface SteppingParts {
  readonly db: Database
  readonly bus: Pick<EventBus, 'announce'>
  readonly ledger: Pick<Calls<typeof ledgerService>, 'PostSettlementEntries'>
  readonly log: Logger
  readonly signal: AbortSignal
  /** Whether a net sender's amount is no cover until its funds out are recorded. */
  readonly excludesUnpaid: boolean
  /** The steps that this process is finishing, by id. */
  readonly underWay: Map<string, Promise<RefusedCommand | undefined>>
}

export type Stepped = { readonly type: 'DONE'; readonly faults: readonly Fault[] } | RefusedCommand

/** Movements per transaction of the ledger; payments wait for it. */
const entries_max = 1_000
/** A step waits in the ledger's queue, and a thousand entries take time. */
const deadline_ms = 30_000

/** Updates each account independently; the faults list what was not done. */
export function updateAccounts(
  parts: SteppingParts,
  settlementId: number,
  updates: readonly Update[],
  actor: string,
): Promise<Stepped> {
  const fault = updates
    .map(
      ({ reason, externalReference }) =>
        textFault('reason', reason) ?? textFault('externalReference', externalReference),
    )
    .find((found) => found !== undefined)
  if (fault !== undefined) return Promise.resolve(fault)
  return stepping(parts, settlementId, (settlement) => {
    const decision = decideUpdate(settlement, updates)
    if (decision.type === 'REFUSE') return refuse('STATE_WRONG', decision.detail)
    const { changes, faults, state } = decision
    if (changes.length === 0) return { type: 'NOTHING', faults }
    return { type: 'STEP', step: { settlementId, changes, state, aborted: null, actor }, faults }
  })
}

/** Reverses what was moved. For an aborted settlement only the reason changes. */
export function abort(
  parts: SteppingParts,
  settlementId: number,
  aborted: { readonly reason: string; readonly externalReference: string },
  actor: string,
): Promise<Stepped> {
  const fault =
    textFault('reason', aborted.reason) ?? textFault('externalReference', aborted.externalReference)
  if (fault !== undefined) return Promise.resolve(fault)
  return stepping(parts, settlementId, (settlement) => {
    const decision = decideAbort(settlement, aborted)
    if (decision.type === 'REFUSE') return refuse('STATE_WRONG', decision.detail)
    const changes = decision.type === 'ABORT' ? decision.changes : []
    const step = { settlementId, changes, state: 'ABORTED', aborted, actor } as const
    return { type: 'STEP', step, faults: [] }
  })
}

type StepDecision =
  | RefusedCommand
  | { readonly type: 'NOTHING'; readonly faults: readonly Fault[] }
  | {
      readonly type: 'STEP'
      readonly step: Omit<OpenStep, 'stepId' | 'ledgerId' | 'excludesUnpaid'>
      readonly faults: readonly Fault[]
    }

async function stepping(
  parts: SteppingParts,
  settlementId: number,
  decide: (settlement: StoredSettlement) => StepDecision,
): Promise<Stepped> {
  for (;;) {
    const begun = await beginStep(parts, settlementId, decide)
    if (begun.type === 'REFUSE') return begun
    if (begun.type === 'NOTHING') return { type: 'DONE', faults: begun.faults }
    const refused = await finishStep(parts, begun.step)
    // A partly posted step that is refused stays open: no other step begins until the ledger
    // accepts the rest.
    if (refused !== undefined) return refused
    if (begun.type === 'BEGUN') return { type: 'DONE', faults: begun.faults }
  }
}

export type Begun =
  | RefusedCommand
  | { readonly type: 'NOTHING'; readonly faults: readonly Fault[] }
  /** The intent is stored. */
  | { readonly type: 'BEGUN'; readonly step: OpenStep; readonly faults: readonly Fault[] }
  /** Another step is in progress and must be finished first. */
  | { readonly type: 'OTHER'; readonly step: OpenStep }

/** Decides under the settlement's lock, and stores what was decided. */
export function beginStep(
  { db, excludesUnpaid }: Pick<SteppingParts, 'db' | 'excludesUnpaid'>,
  settlementId: number,
  decide: (settlement: StoredSettlement) => StepDecision,
): Promise<Begun> {
  return db.transaction(async (tx): Promise<Begun> => {
    const settlement = await settlementOf(tx, settlementId, 'LOCK')
    if (settlement === undefined) {
      return refuse('SETTLEMENT_UNKNOWN', `there is no settlement ${settlementId}`)
    }
    const other = await openStepOf(tx, settlementId)
    if (other !== undefined) return { type: 'OTHER', step: other }
    const decided = decide(settlement)
    if (decided.type !== 'STEP') return decided
    const ledgerId = randomUUID()
    const step = await intendStep(tx, { ...decided.step, ledgerId, excludesUnpaid })
    return { type: 'BEGUN', step, faults: decided.faults }
  })
}

/**
 * Continues a step whose intent is stored; undefined when it was completed. Concurrent calls for
 * one step share its result.
 */
export function finishStep(
  parts: SteppingParts,
  step: OpenStep,
): Promise<RefusedCommand | undefined> {
  const { underWay } = parts
  const begun = underWay.get(step.stepId)
  if (begun !== undefined) return begun
  const finished = moveAndFollow(parts, step).finally(() => underWay.delete(step.stepId))
  underWay.set(step.stepId, finished)
  return finished
}

async function moveAndFollow(
  parts: SteppingParts,
  step: OpenStep,
): Promise<RefusedCommand | undefined> {
  const refused = await moveMoney(parts, step)
  if (refused !== undefined) return refused
  await parts.db.transaction((tx) => follow(parts, tx, step))
  return undefined
}

/**
 * Posts the movements of the step. The ledger ends a step that it refuses before any of it was
 * posted: the intent can be deleted, because any other process that continues it is refused as
 * well.
 */
export async function moveMoney(
  parts: SteppingParts,
  step: OpenStep,
): Promise<RefusedCommand | undefined> {
  const { db, log } = parts
  const { settlementId } = step
  const settlement = await settlementOf(db, settlementId, 'READ')
  if (settlement === undefined) throw new Error(`settlement ${settlementId} is gone`)
  let isFirst = true
  for await (const movements of pagesOf(parts, settlement, step)) {
    const refusal = await post(parts, settlement, { stepId: step.ledgerId, isFirst, movements })
    if (refusal !== undefined) {
      const { detail } = refusal
      log.error({ settlementId, detail }, 'ALARM the ledger refused a settlement step')
      if (refusal.stepEnded) await endOfStep(db, step)
      return refuse('LEDGER_REFUSED', detail)
    }
    isFirst = false
  }
  return undefined
}

/** Depends on nothing that changes while the step is open, so a repeat gives the same pages. */
async function* pagesOf(
  { db }: SteppingParts,
  settlement: StoredSettlement,
  { changes, excludesUnpaid }: OpenStep,
): AsyncGenerator<readonly Movement[]> {
  const { model } = settlement
  const rules: Rules = { ...model, excludesUnpaid }
  const stepping = steppingOf(settlement.accounts, changes)
  if (model.granularity === 'GROSS') {
    yield* grossMovementPages(db, settlement, rules, stepping)
    return
  }
  const movements =
    model.interchange === 'MULTILATERAL'
      ? netMovements(rules, stepping)
      : pairMovements(rules, stepping, await pairsOf(db, settlement))
  for (let at = 0; at < movements.length; at += entries_max) {
    yield movements.slice(at, at + entries_max)
  }
}

async function* grossMovementPages(
  db: Database,
  settlement: StoredSettlement,
  rules: Rules,
  stepping: readonly Stepping[],
): AsyncGenerator<readonly Movement[]> {
  const payers = committingIn(stepping)
  if (payers.size === 0) return
  for (const windowId of await windowsOf(db, settlement.id)) {
    const pages = grossPages(
      db,
      windowId,
      settlement.model.id,
      payers,
      Math.floor(entries_max / grossMovements_max),
    )
    for await (const lines of pages) yield lines.flatMap((line) => grossMovements(rules, line))
  }
}

/** Movements that the ledger posts together. */
interface MovementPage {
  readonly stepId: string
  readonly isFirst: boolean
  readonly movements: readonly Movement[]
}

/** Why the ledger posts none of them. */
interface StepRefusal {
  readonly detail: string
  readonly stepEnded: boolean
}

/** Undefined when all of them are posted, now or before. */
async function post(
  { ledger, log, signal }: SteppingParts,
  { id, model }: StoredSettlement,
  { stepId, isFirst, movements }: MovementPage,
): Promise<StepRefusal | undefined> {
  const entries = movements.map((movement) => entryOf(id, movement))
  const request = { settlementId: id, entries, isFirst, stepId }
  const { outcome, detail, positions, stepEnded } = await retrying(
    () => ledger.PostSettlementEntries(request, { deadline_ms }),
    { log, what: `moving money of settlement ${id}`, signal },
  )
  if (outcome !== 'POSTED') return { detail: `${outcome}: ${detail ?? ''}`, stepEnded }
  if (!model.requireLiquidityCheck) return undefined
  for (const { participantId, value, limit, currency } of positions) {
    const left = (parseDecimal(limit ?? '') ?? 0n) - (parseDecimal(value) ?? 0n)
    if (limit !== undefined && left < 0n) {
      const about = { settlementId: id, participantId, currency, position: value, limit }
      log.warn(about, 'ALARM a settlement took a position above its net debit cap')
    }
  }
  return undefined
}

/** The entry's id derives from settlement, account and step, so a repeat has the same id. */
function entryOf(settlementId: number, movement: Movement): SettlementEntry {
  const { name, debit, credit, amount, currency, awaitsFundsOut } = movement
  return {
    entryId: derivedId(`settlement/${settlementId}`, name),
    debitParticipant: debit.participant ?? undefined,
    debitAccountType: debit.type,
    creditParticipant: credit.participant ?? undefined,
    creditAccountType: credit.type,
    amount: formatAmount(amount),
    currency,
    awaitsFundsOut,
  }
}

/**
 * Saves the states after the money has moved; does nothing if another process has ended the step.
 */
async function follow({ bus }: SteppingParts, tx: Transaction, step: OpenStep): Promise<void> {
  const { settlementId, changes, state, aborted, actor } = step
  const before = await settlementOf(tx, settlementId, 'LOCK')
  if (before === undefined || !(await endOfStep(tx, step))) return
  await saveChanges(tx, settlementId, changes)
  if (state !== before.state) await saveSettlementState(tx, settlementId, state)
  if (aborted !== null) await saveSettlementReason(tx, settlementId, aborted)
  const ending = endingOf(before.state, state)
  if (ending !== undefined) {
    const windowIds = await windowsOf(tx, settlementId)
    await lockWindows(tx, windowIds)
    await saveContentStates(tx, settlementId, ending)
    await followContents(tx, windowIds, aborted?.reason ?? null)
  }
  const named = new Set(changes.map(({ accountId }) => accountId))
  bus.announce(tx, [
    auditEntry('settlements', {
      actor,
      action: aborted === null ? 'UpdateSettlementAccounts' : 'AbortSettlement',
      subject: `settlements/${settlementId}`,
      before: {
        state: before.state,
        accounts: statesOf(before.accounts.filter(({ accountId }) => named.has(accountId))),
      },
      after: { state, changes: changes.map((change) => ({ ...change })), ...aborted },
      at: new Date(),
    }),
  ])
}

/** The final state of the settlement's contents, if this step ends it. */
function endingOf(
  before: SettlementState,
  after: SettlementState,
): 'SETTLED' | 'ABORTED' | undefined {
  return before !== after && (after === 'SETTLED' || after === 'ABORTED') ? after : undefined
}

/** Finishes interrupted steps; a failing one does not block other settlements. */
export async function finishSteps(parts: SteppingParts): Promise<void> {
  const { log, signal } = parts
  const read = { log, what: 'reading unfinished settlement steps', signal }
  const steps = await retrying(() => openSteps(parts.db), read)
  await finishEach(steps, (step) => finishStep(parts, step), {
    log,
    signal,
    nameOf: ({ settlementId }) => `a step of settlement ${settlementId}`,
  })
}
