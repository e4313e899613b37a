/** Participants, accounts, limits and endpoints as rows. Changes run only in the ledger's queue. */
import { hubId } from '@causeway/ledger/domain'
import { statement, textArray, type Queries, type Transaction } from '@causeway/postgres'
import type { ParticipantType } from '@causeway/protos'
import type { ParticipantChange } from './domain/change.ts'
import type { Endpoint, Limit, Participant, ParticipantAccount } from './domain/participant.ts'

/**
 * A participant with all that belongs to it in one row; money as text, because JSON numbers lose
 * digits.
 */
const whole = `
  select id, name, type, state, is_active, version, created_at, created_by,
    (select coalesce(json_agg(json_build_object('id', accounts.id, 'type', accounts.type,
        'currency', currency, 'isActive', accounts.is_active, 'createdAt', accounts.created_at,
        'createdBy', accounts.created_by, 'value', limits.value::text,
        'alarmPercentage', limits.alarm_percentage::text) order by accounts.id), '[]')
      from accounts
      left join limits on limits.account_id = accounts.id and limits.is_active
        and limits.type = 'NET_DEBIT_CAP'
      where accounts.participant_id = participants.id) as accounts,
    (select coalesce(json_agg(json_build_object('type', type, 'value', value) order by type), '[]')
      from endpoints
      where endpoints.participant_id = participants.id and is_active) as endpoints
  from participants`

const named = statement(`${whole} where name = any($1::text[]) order by id`)
const lockNamed = statement(`${whole} where name = any($1::text[]) order by id for update`)
/** The hub first, before the auth service, whose id is below its own. */
const all = statement(`${whole} order by id < 1, id`)
const lockWithCurrency = statement(`
  ${whole}
  where id <> $1 and id in (select participant_id from accounts where currency = $2)
  order by id
  for update`)

interface ParticipantRow {
  readonly id: number
  readonly name: string
  readonly type: ParticipantType
  readonly state: string
  readonly is_active: boolean
  readonly version: number
  readonly created_at: Date
  readonly created_by: string
  readonly accounts: readonly AccountJson[]
  readonly endpoints: readonly Endpoint[]
}

interface AccountJson {
  readonly id: number
  readonly type: string
  readonly currency: string
  readonly isActive: boolean
  readonly createdAt: string
  readonly createdBy: string
  readonly value: string | null
  readonly alarmPercentage: string | null
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
  return rows.map(participantOf)
}

export async function lockParticipants(
  tx: Transaction,
  names: readonly string[],
): Promise<readonly Participant[]> {
  const rows = await tx.query<ParticipantRow>(lockNamed, [textArray(names)])
  return rows.map(participantOf)
}

const selectAlike = statement(`
  select name from participants where lower(name) = lower($1) and name <> $1 limit 1`)

/** A participant whose name differs in case only. */
export async function nameAlike(tx: Transaction, name: string): Promise<string | undefined> {
  const [row] = await tx.query<{ readonly name: string }>(selectAlike, [name])
  return row?.name
}

/** Every participant but the hub that has accounts in the currency. */
export async function lockParticipantsWith(
  tx: Transaction,
  currency: string,
): Promise<readonly Participant[]> {
  const rows = await tx.query<ParticipantRow>(lockWithCurrency, [hubId, currency])
  return rows.map(participantOf)
}

function participantOf(row: ParticipantRow): Participant {
  return {
    id: row.id,
    name: row.name,
    isHub: row.id === hubId,
    type: row.type,
    state: row.state,
    isActive: row.is_active,
    version: row.version,
    createdAt: row.created_at,
    createdBy: row.created_by,
    accounts: row.accounts.map(accountOf),
    endpoints: row.endpoints,
  }
}

function accountOf({ value, alarmPercentage, createdAt, ...account }: AccountJson) {
  const limit: Limit | null =
    value === null || alarmPercentage === null
      ? null
      : { value: BigInt(value), alarmPercentage: BigInt(alarmPercentage) }
  return { ...account, createdAt: new Date(createdAt), limit } satisfies ParticipantAccount
}

const insertParticipant = statement(`
  insert into participants (name, type, state, is_active, created_by)
  values ($1, $2, $3, $4, $5)`)

export interface NewParticipant {
  readonly name: string
  readonly type: Exclude<ParticipantType, 'AUTH_SERVICE'>
  readonly state: string
  readonly isActive: boolean
  readonly createdBy: string
}

/** Its version is 1. */
export async function addParticipant(
  tx: Transaction,
  { name, type, state, isActive, createdBy }: NewParticipant,
): Promise<Participant> {
  await tx.query(insertParticipant, [name, type, state, isActive, createdBy])
  const [added] = await lockParticipants(tx, [name])
  if (added === undefined) throw new Error(`${name} was not added`)
  return added
}

const insertAccounts = statement(`
  insert into accounts (participant_id, type, currency, is_active, created_by)
  select * from unnest($1::text[]::integer[], $2::text[], $3::text[], $4::text[]::boolean[],
    $5::text[])
  returning id, participant_id, type, currency`)

type Opening = Extract<ParticipantChange, { type: 'OPEN_ACCOUNT' }> & {
  readonly participantId: number
}

interface OpenedRow {
  readonly id: number
  readonly participant_id: number
  readonly type: string
  readonly currency: string
}

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

const updateState = statement(`update participants set state = $2, is_active = $3 where id = $1`)
const updateStatus = statement(`update accounts set is_active = $2 where id = $1`)

const replaceLimit = statement(`
  update limits set is_active = false
  where account_id = $1 and type = 'NET_DEBIT_CAP' and is_active`)

const insertLimit = statement(`
  insert into limits (account_id, type, value, alarm_percentage, alarms)
  values ($1, 'NET_DEBIT_CAP', $2, $3, (
    select alarms from limits where account_id = $1 and type = 'NET_DEBIT_CAP'
    order by id desc limit 1))`)

const replaceEndpoint = statement(`
  update endpoints set is_active = false where participant_id = $1 and type = $2 and is_active`)

const insertEndpoint = statement(`
  insert into endpoints (participant_id, type, value, created_by) values ($1, $2, $3, $4)`)

/** Stores one change other than a new account; replaced rows are retained as history. */
export async function saveChange(
  tx: Transaction,
  participantId: number,
  change: Exclude<ParticipantChange, { type: 'OPEN_ACCOUNT' }>,
): Promise<void> {
  switch (change.type) {
    case 'SET_STATE':
      await tx.query(updateState, [participantId, change.state, change.isActive])
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

/** False when a participant has this name. Earlier entries keep the hub's former name. */
export async function nameHub(tx: Transaction, name: string): Promise<boolean> {
  const rows = await tx.query(renameHub, [hubId, name])
  return rows.length > 0
}

const makeAuthService = statement(`
  insert into participants (id, name, type, state, is_active, created_by)
  values (0, $1, 'AUTH_SERVICE', 'ACTIVE', true, 'hub')
  on conflict do nothing`)

const renameAuthService = statement(`
  update participants set name = $1, state = 'ACTIVE', is_active = true
  where id = 0 and not exists (select from participants where name = $1 and id <> 0)
  returning id`)

const endAuthService = statement(`
  update participants set state = 'INACTIVE', is_active = false where id = 0 and is_active`)

/**
 * Creates or renames the auth service that the hub hosts, like the hub itself without an event: a
 * service that does not know a participant requests it. An empty name deactivates it. False when a
 * participant has this name.
 */
export async function nameAuthService(tx: Transaction, name: string): Promise<boolean> {
  if (name === '') {
    await tx.query(endAuthService, [])
    return true
  }
  await tx.query(makeAuthService, [name])
  const rows = await tx.query(renameAuthService, [name])
  return rows.length > 0
}

const balances = statement(`
  select participants.is_active as participant_is_active, accounts.id, accounts.type, currency,
    accounts.is_active, debits_posted + debits_pending - credits_posted as value,
    debits_pending as reserved, changed_at
  from participants
  left join accounts on accounts.participant_id = participants.id
    and accounts.type <> 'HUB_OPENING_BALANCE' and ($2::text is null or currency = $2)
  where participants.name = $1
  order by accounts.id`)

export interface AccountBalance {
  readonly id: number
  readonly type: string
  readonly currency: string
  readonly isActive: boolean
  /** Includes what is reserved. */
  readonly value: bigint
  readonly reserved: bigint
  readonly changedAt: Date
}

interface BalanceRow {
  readonly participant_is_active: boolean
  readonly id: number | null
  readonly type: string
  readonly currency: string
  readonly is_active: boolean
  readonly value: string
  readonly reserved: string
  readonly changed_at: Date
}

/**
 * The accounts of one participant with their values; without a currency, all of them. Undefined: no such
 * name.
 */
export async function balancesOf(
  db: Queries,
  name: string,
  currency: string | undefined,
): Promise<
  { readonly isActive: boolean; readonly accounts: readonly AccountBalance[] } | undefined
> {
  const rows = await db.query<BalanceRow>(balances, [name, currency ?? null])
  const [first] = rows
  if (first === undefined) return undefined
  const accounts = rows.flatMap(({ id, type, currency, is_active, ...row }) => {
    if (id === null) return []
    const [value, reserved] = [BigInt(row.value), BigInt(row.reserved)]
    return [{ id, type, currency, isActive: is_active, value, reserved, changedAt: row.changed_at }]
  })
  return { isActive: first.participant_is_active, accounts }
}

const requested = statement(`select id from accounts where participant_id = $1 and request_id = $2`)

/** The accounts opened by a request. */
export async function accountsOfRequest(
  tx: Transaction,
  participantId: number,
  requestId: string,
): Promise<readonly number[]> {
  const rows = await tx.query<{ id: number }>(requested, [participantId, requestId])
  return rows.map(({ id }) => id)
}

const note = statement(`update accounts set request_id = $2 where id = any($1::text[]::integer[])`)

export async function noteRequest(
  tx: Transaction,
  ids: readonly number[],
  requestId: string,
): Promise<void> {
  await tx.query(note, [textArray(ids.map(String)), requestId])
}

const owner = statement(`
  select name from participants join accounts on participant_id = participants.id
  where accounts.id = $1`)

/** The name of the participant that has the account. */
export async function ownerOf(db: Queries, accountId: number): Promise<string | undefined> {
  const [row] = await db.query<{ name: string }>(owner, [accountId])
  return row?.name
}
