/**
 * Registered oracles. A removed one is retained as an inactive row; each change is audited in its
 * transaction.
 */
import type { EventBus } from '@causeway/bus'
import { auditEntry } from '@causeway/events'
import {
  sqlState,
  statement,
  type Database,
  type Queries,
  type Transaction,
} from '@causeway/postgres'
import { refuse } from '@causeway/services'
import type { Draft, DraftDecision, Oracle, Proposal, RefusedOracle } from './domain/oracle.ts'

export type StoredOracle = { readonly type: 'STORED'; readonly oracle: Oracle } | RefusedOracle

export interface OracleStore {
  /** The active ones, in the order of their ids. */
  all(): Promise<readonly Oracle[]>
  create(draft: Draft, by: Author): Promise<StoredOracle>
  /** `change` derives the new values from the stored ones. */
  update(id: number, change: (stored: Proposal) => DraftDecision, by: Author): Promise<StoredOracle>
  remove(id: number, by: Author): Promise<StoredOracle>
}

/** The operator that makes a change, and the time. */
export interface Author {
  readonly actor: string
  readonly at: Date
}

const columns = `id, oracle_id_type as "oracleIdType", endpoint_value as "endpointValue",
  endpoint_type as "endpointType", currency, is_default as "isDefault"`

const allStatement = statement(`select ${columns} from oracles where is_active order by id`)

const createStatement = statement(`
  insert into oracles (oracle_id_type, endpoint_value, endpoint_type, currency, is_default)
  values ($1, $2, $3, $4, $5)
  on conflict (oracle_id_type, currency, is_default) where is_active do nothing
  returning ${columns}`)

const lockStatement = statement(`
  select ${columns} from oracles where id = $1 and is_active for update`)

const updateStatement = statement(`
  update oracles set oracle_id_type = $2, endpoint_value = $3, endpoint_type = $4, currency = $5,
    is_default = $6
  where id = $1
  returning ${columns}`)

const removeStatement = statement(`
  update oracles set is_active = false where id = $1 and is_active returning ${columns}`)

const isTaken = '23505'

export function openOracleStore(db: Database, bus: EventBus): OracleStore {
  const record = (tx: Transaction, change: OracleChange) => {
    bus.announce(tx, [auditEntryOf(change)])
  }
  return {
    all: () => db.query<Oracle>(allStatement, []),
    create: (draft, by) =>
      db.transaction(async (tx) => {
        const [after] = await tx.query<Oracle>(createStatement, valuesOf(draft))
        if (after === undefined) return refused('ORACLE_EXISTS')
        record(tx, { action: 'CreateOracle', before: null, after, by })
        return { type: 'STORED', oracle: after }
      }),
    async update(id, change, by) {
      try {
        return await db.transaction(async (tx) => {
          const [before] = await tx.query<Oracle>(lockStatement, [id])
          if (before === undefined) return refused('ORACLE_UNKNOWN')
          const stored = await update(tx, before, change(before))
          if (stored.type === 'STORED') {
            record(tx, { action: 'UpdateOracle', before, after: stored.oracle, by })
          }
          return stored
        })
      } catch (error) {
        if (sqlState(error) === isTaken) return refused('ORACLE_EXISTS')
        throw error
      }
    },
    remove: (id, by) =>
      db.transaction(async (tx) => {
        const [before] = await tx.query<Oracle>(removeStatement, [id])
        if (before === undefined) return refused('ORACLE_UNKNOWN')
        record(tx, { action: 'RemoveOracle', before, after: null, by })
        return { type: 'STORED', oracle: before }
      }),
  }
}

interface OracleChange {
  readonly action: string
  readonly before: Oracle | null
  readonly after: Oracle | null
  readonly by: Author
}

function auditEntryOf({ action, before, after, by }: OracleChange) {
  const subject = `oracles/${String((after ?? before)?.id)}`
  return auditEntry('account-lookup', {
    ...by,
    action,
    subject,
    before: before && { ...before },
    after: after && { ...after },
  })
}

async function update(tx: Queries, { id }: Oracle, decision: DraftDecision): Promise<StoredOracle> {
  if (decision.type === 'REFUSE') return decision
  const [oracle] = await tx.query<Oracle>(updateStatement, [id, ...valuesOf(decision.draft)])
  return oracle === undefined ? refused('ORACLE_UNKNOWN') : { type: 'STORED', oracle }
}

function valuesOf(draft: Draft): (string | boolean)[] {
  const { oracleIdType, endpointValue, endpointType, currency, isDefault } = draft
  return [oracleIdType, endpointValue, endpointType, currency, isDefault]
}

const details = {
  ORACLE_UNKNOWN: 'there is no oracle with this id',
  ORACLE_EXISTS: 'another oracle serves this type and currency',
} as const

function refused(reason: keyof typeof details): StoredOracle {
  return refuse(reason, details[reason])
}
