/**
 * Storage of all sets of rules. A set is stored once, as a whole, and never changed; the change is
 * audited in its transaction.
 */
import type { EventBus } from '@causeway/bus'
import { auditEntry, type AuditedState } from '@causeway/events'
import { statement, type Database, type Queries, type Transaction } from '@causeway/postgres'

export interface RuleSet {
  /** 0 before the first. */
  readonly iteration: number
  /** JSON, as shown to the operator. */
  readonly json: string
  /** ISO 8601 UTC; '' before the first. */
  readonly changedAt: string
  readonly changedBy: string
}

export interface RuleStore {
  newest(): Promise<RuleSet>
  /** False if this iteration exists, or the one before it does not. */
  add(set: RuleSet, before: RuleSet): Promise<boolean>
}

interface RuleSetRow {
  readonly iteration: number
  readonly rules: string
  readonly changed_at: Date
  readonly changed_by: string
}

const none: RuleSet = { iteration: 0, json: '[]', changedAt: '', changedBy: '' }

const newestStatement = statement(`
  select iteration, rules, changed_at, changed_by from scheme_rules order by iteration desc limit 1`)

const addStatement = statement(`
  insert into scheme_rules (iteration, rules, changed_at, changed_by)
  select $1::integer, $2::text, $3::timestamptz, $4::text
  where $1::integer = 1 + coalesce((select max(iteration) from scheme_rules), 0)
  on conflict do nothing
  returning iteration`)

/** Iteration 0 without rules before the first change. */
export async function newestRuleSet(db: Queries): Promise<RuleSet> {
  const [row] = await db.query<RuleSetRow>(newestStatement, [])
  return row === undefined ? none : setOf(row)
}

/** False if this iteration exists, or the one before it does not. */
export async function addRuleSet(
  bus: EventBus,
  tx: Transaction,
  set: RuleSet,
  before: RuleSet,
): Promise<boolean> {
  const { iteration, json, changedAt, changedBy } = set
  const values = [iteration, json, changedAt, changedBy]
  const rows = await tx.query<Pick<RuleSetRow, 'iteration'>>(addStatement, values)
  if (rows.length === 0) return false
  bus.announce(tx, [auditEntryOf(set, before)])
  return true
}

export function openRuleStore(db: Database, bus: EventBus): RuleStore {
  return {
    newest: () => newestRuleSet(db),
    add: (set, before) => db.transaction((tx) => addRuleSet(bus, tx, set, before)),
  }
}

function auditEntryOf(set: RuleSet, before: RuleSet) {
  return auditEntry('quoting', {
    actor: set.changedBy,
    action: 'SetSchemeRules',
    subject: 'scheme-rules',
    before: auditedRules(before),
    after: auditedRules(set),
    at: new Date(set.changedAt),
  })
}

export function auditedRules({ iteration, json }: RuleSet): AuditedState {
  return { iteration, rules: JSON.parse(json) as readonly AuditedState[] }
}

function setOf({ iteration, rules, changed_at, changed_by }: RuleSetRow): RuleSet {
  return { iteration, json: rules, changedAt: changed_at.toISOString(), changedBy: changed_by }
}
