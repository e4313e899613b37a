/** Participants, accounts, limits and endpoints as rows. Changes run in the ledger's queue alone. */
import { statement, textArray, type Queries, type Transaction } from '@causeway/runtime'
import { hubId } from '../ledger/domain/book.ts'
import type { Change } from './domain/change.ts'
import type { Limit, Participant, ParticipantAccount } from './domain/participant.ts'

const columns = `id, name, is_active, version, created_at, created_by`

const named = statement(`
  select ${columns} from participants where name = any($1::text[]) order by id`)

const lockNamed = statement(`
  select ${columns} from participants where name = any($1::text[]) order by id for update`)

const all = statement(`select ${columns} from participants order by id`)

const lockWithCurrency = statement(`
  select ${columns} from participants
  where id <> $1 and id in (select participant_id from accounts where currency = $2)
  order by id
  for update`)

const accountsOf = statement(`
  select accounts.id, participant_id, accounts.type, currency, accounts.is_active,
    accounts.created_at, accounts.created_by, limits.value, limits.alarm_percentage
  from accounts
  left join limits on limits.account_id = accounts.id and limits.is_active
    and limits.type = 'NET_DEBIT_CAP'
  where participant_id = any($1::text[]::integer[])
  order by accounts.id`)

const endpointsOf = statement(`
  select participant_id, type, value from endpoints
  where participant_id = any($1::text[]::integer[]) and is_active
  order by type`)

interface ParticipantRow {
  readonly id: number
  readonly name: string
  readonly is_active: boolean
  readonly version: number
  readonly created_at: Date
  readonly created_by: string
}

interface AccountRow {
  readonly id: number
  readonly participant_id: number
  readonly type: string
  readonly currency: string
  readonly is_active: boolean
  readonly created_at: Date
  readonly created_by: string
  readonly value: string | null
  readonly alarm_percentage: string | null
}

interface EndpointRow {
  readonly participant_id: number
  readonly type: string
  readonly value: string
}

/** The participants of these names, or all of them; unknown names are left out. */
export async function participantsNamed(
  db: Queries,
  names: readonly string[] | 'ALL',
): Promise<readonly Participant[]> {
  const rows =
    names === 'ALL'
      ? await db.query<ParticipantRow>(all, [])
      : await db.query<ParticipantRow>(named, [textArray(names)])
  return withBelongings(db, rows)
}

export async function lockParticipants(
  tx: Transaction,
  names: readonly string[],
): Promise<readonly Participant[]> {
  return withBelongings(tx, await tx.query<ParticipantRow>(lockNamed, [textArray(names)]))
}

/** Every participant but the hub that has accounts in the currency. */
export async function lockParticipantsWith(
  tx: Transaction,
  currency: string,
): Promise<readonly Participant[]> {
  return withBelongings(tx, await tx.query<ParticipantRow>(lockWithCurrency, [hubId, currency]))
}

async function withBelongings(
  db: Queries,
  rows: readonly ParticipantRow[],
): Promise<readonly Participant[]> {
  const ids = textArray(rows.map(({ id }) => String(id)))
  const accounts = groupById(await db.query<AccountRow>(accountsOf, [ids]))
  const endpoints = groupById(await db.query<EndpointRow>(endpointsOf, [ids]))
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    isHub: row.id === hubId,
    isActive: row.is_active,
    version: row.version,
    createdAt: row.created_at,
    createdBy: row.created_by,
    accounts: (accounts.get(row.id) ?? []).map(accountOf),
    endpoints: (endpoints.get(row.id) ?? []).map(({ type, value }) => ({ type, value })),
  }))
}

function groupById<Row extends { readonly participant_id: number }>(
  rows: readonly Row[],
): ReadonlyMap<number, readonly Row[]> {
  const groups = new Map<number, Row[]>()
  for (const row of rows) {
    const group = groups.get(row.participant_id)
    if (group === undefined) groups.set(row.participant_id, [row])
    else group.push(row)
  }
  return groups
}

function accountOf(row: AccountRow): ParticipantAccount {
  return {
    id: row.id,
    type: row.type,
    currency: row.currency,
    isActive: row.is_active,
    createdAt: row.created_at,
    createdBy: row.created_by,
    limit: limitOf(row),
  }
}

function limitOf({ value, alarm_percentage }: AccountRow): Limit | null {
  return value === null || alarm_percentage === null
    ? null
    : { value: BigInt(value), alarmPercentage: BigInt(alarm_percentage) }
}

const insertParticipant = statement(`
  insert into participants (name, is_active, created_by) values ($1, $2, $3)
  returning ${columns}`)

/** Its version is 1. */
export async function addParticipant(
  tx: Transaction,
  participant: { readonly name: string; readonly isActive: boolean; readonly createdBy: string },
): Promise<Participant> {
  const { name, isActive, createdBy } = participant
  const rows = await tx.query<ParticipantRow>(insertParticipant, [name, isActive, createdBy])
  const [added] = await withBelongings(tx, rows)
  if (added === undefined) throw new Error(`${name} was not added`)
  return added
}

const insertAccounts = statement(`
  insert into accounts (participant_id, type, currency, is_active, created_by)
  select * from unnest($1::text[]::integer[], $2::text[], $3::text[], $4::text[]::boolean[],
    $5::text[])
  returning id, participant_id, type, currency`)

type Opening = Extract<Change, { type: 'OPEN_ACCOUNT' }> & { readonly participantId: number }

type OpenedRow = Pick<AccountRow, 'id' | 'participant_id' | 'type' | 'currency'>

export interface OpenedAccount {
  readonly id: number
  readonly participantId: number
  readonly type: string
  readonly currency: string
}

export async function openAccounts(
  tx: Transaction,
  openings: readonly Opening[],
): Promise<readonly OpenedAccount[]> {
  if (openings.length === 0) return []
  const rows = await tx.query<OpenedRow>(insertAccounts, [
    textArray(openings.map(({ participantId }) => String(participantId))),
    textArray(openings.map(({ accountType }) => accountType)),
    textArray(openings.map(({ currency }) => currency)),
    textArray(openings.map(({ isActive }) => String(isActive))),
    textArray(openings.map(({ createdBy }) => createdBy)),
  ])
  return rows.map(({ id, participant_id, type, currency }) => ({
    id,
    participantId: participant_id,
    type,
    currency,
  }))
}

const updateState = statement(`update participants set is_active = $2 where id = $1`)
const updateStatus = statement(`update accounts set is_active = $2 where id = $1`)

const replaceLimit = statement(`
  update limits set is_active = false
  where account_id = $1 and type = 'NET_DEBIT_CAP' and is_active`)

const insertLimit = statement(`
  insert into limits (account_id, type, value, alarm_percentage)
  values ($1, 'NET_DEBIT_CAP', $2, $3)`)

const replaceEndpoint = statement(`
  update endpoints set is_active = false where participant_id = $1 and type = $2 and is_active`)

const insertEndpoint = statement(`
  insert into endpoints (participant_id, type, value, created_by) values ($1, $2, $3, $4)`)

/** One change that is no new account; what is replaced stays as history. */
export async function saveChange(
  tx: Transaction,
  participantId: number,
  change: Exclude<Change, { type: 'OPEN_ACCOUNT' }>,
): Promise<void> {
  switch (change.type) {
    case 'SET_STATE':
      await tx.query(updateState, [participantId, change.isActive])
      return
    case 'SET_ACCOUNT_STATUS':
      await tx.query(updateStatus, [change.accountId, change.isActive])
      return
    case 'SET_LIMIT': {
      const { value, alarmPercentage } = change.limit
      await tx.query(replaceLimit, [change.accountId])
      await tx.query(insertLimit, [change.accountId, String(value), String(alarmPercentage)])
      return
    }
    case 'SET_ENDPOINT':
      await tx.query(replaceEndpoint, [participantId, change.endpointType])
      await tx.query(insertEndpoint, [
        participantId,
        change.endpointType,
        change.value,
        change.createdBy,
      ])
  }
}

const updateVersions = statement(`
  update participants set version = next.version
  from unnest($1::text[]::integer[], $2::text[]::integer[]) as next (id, version)
  where participants.id = next.id`)

export async function saveVersions(
  tx: Transaction,
  versions: readonly { readonly participantId: number; readonly version: number }[],
): Promise<void> {
  await tx.query(updateVersions, [
    textArray(versions.map(({ participantId }) => String(participantId))),
    textArray(versions.map(({ version }) => String(version))),
  ])
}

const renameHub = statement(`
  update participants set name = $2
  where id = $1 and not exists (select from participants where name = $2 and id <> $1)
  returning id`)

/** False when a participant has this name. Entries of the past keep the name that the hub had then. */
export async function nameHub(tx: Transaction, name: string): Promise<boolean> {
  const rows = await tx.query(renameHub, [hubId, name])
  return rows.length > 0
}

const balances = statement(`
  select participants.is_active as participant_is_active, accounts.id, accounts.type, currency,
    accounts.is_active, debits_posted + debits_pending - credits_posted as value, changed_at
  from participants
  left join accounts on accounts.participant_id = participants.id
    and accounts.type <> 'HUB_OPENING_BALANCE' and ($2 = '' or currency = $2)
  where participants.name = $1
  order by accounts.id`)

export interface AccountBalance {
  readonly id: number
  readonly type: string
  readonly currency: string
  readonly isActive: boolean
  readonly value: bigint
  readonly changedAt: Date
}

interface BalanceRow {
  readonly participant_is_active: boolean
  readonly id: number | null
  readonly type: string
  readonly currency: string
  readonly is_active: boolean
  readonly value: string
  readonly changed_at: Date
}

/** The accounts of one participant with their values; currency '' means all. Undefined: no such name. */
export async function balancesOf(
  db: Queries,
  name: string,
  currency: string,
): Promise<
  { readonly isActive: boolean; readonly accounts: readonly AccountBalance[] } | undefined
> {
  const rows = await db.query<BalanceRow>(balances, [name, currency])
  const [first] = rows
  if (first === undefined) return undefined
  const accounts = rows.flatMap(({ id, type, currency, is_active, value, changed_at }) =>
    id === null
      ? []
      : [{ id, type, currency, isActive: is_active, value: BigInt(value), changedAt: changed_at }],
  )
  return { isActive: first.participant_is_active, accounts }
}
