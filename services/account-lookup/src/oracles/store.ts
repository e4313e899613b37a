/** The oracles that are registered. A removed one stays as a row and is no longer asked. */
import { sqlState, statement, type Database, type Queries } from '@causeway/runtime'
import type { Draft, DraftDecision, Oracle, Proposal, Refused } from './domain/oracle.ts'

export type Stored =
  | { readonly type: 'STORED'; readonly oracle: Oracle }
  | { readonly type: 'REFUSED'; readonly refused: Refused }

export interface OracleStore {
  /** The active ones, in the order of their ids. */
  all(): Promise<readonly Oracle[]>
  create(draft: Draft): Promise<Stored>
  /** `change` makes of the stored one what it is to be. */
  update(id: number, change: (stored: Proposal) => DraftDecision): Promise<Stored>
  remove(id: number): Promise<Stored>
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

export function openOracleStore(db: Database): OracleStore {
  return {
    all: () => db.query<Oracle>(allStatement, []),
    async create(draft) {
      const [oracle] = await db.query<Oracle>(createStatement, valuesOf(draft))
      return oracle === undefined ? refused('ORACLE_EXISTS') : { type: 'STORED', oracle }
    },
    async update(id, change) {
      try {
        return await db.transaction((tx) => update(tx, id, change))
      } catch (error) {
        if (sqlState(error) === isTaken) return refused('ORACLE_EXISTS')
        throw error
      }
    },
    async remove(id) {
      const [oracle] = await db.query<Oracle>(removeStatement, [id])
      return oracle === undefined ? refused('ORACLE_UNKNOWN') : { type: 'STORED', oracle }
    },
  }
}

async function update(
  tx: Queries,
  id: number,
  change: (stored: Proposal) => DraftDecision,
): Promise<Stored> {
  const [stored] = await tx.query<Oracle>(lockStatement, [id])
  if (stored === undefined) return refused('ORACLE_UNKNOWN')
  const decision = change(stored)
  if (decision.type === 'refuse') return { type: 'REFUSED', refused: decision.refused }
  const [oracle] = await tx.query<Oracle>(updateStatement, [id, ...valuesOf(decision.draft)])
  return oracle === undefined ? refused('ORACLE_UNKNOWN') : { type: 'STORED', oracle }
}

function valuesOf(draft: Draft): (string | boolean)[] {
  const { oracleIdType, endpointValue, endpointType, currency, isDefault } = draft
  return [oracleIdType, endpointValue, endpointType, currency, isDefault]
}

const details = {
  ORACLE_UNKNOWN: 'there is no oracle of this id',
  ORACLE_EXISTS: 'another oracle serves this type and currency',
} as const

function refused(reason: keyof typeof details): Stored {
  return { type: 'REFUSED', refused: { reason, detail: details[reason] } }
}
