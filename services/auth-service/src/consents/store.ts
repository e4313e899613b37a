/**
 * Storage of consents and verifications. A transaction that changes a consent or answers a
 * verification request locks it until COMMIT, reads after it has the lock, and announces the
 * resulting decision itself.
 */
import type { EventBus, OutgoingMessage } from '@causeway/bus'
import {
  byteaArray,
  ensureMonthlyPartitions,
  statement,
  textArray,
  type Database,
  type Queries,
  type Transaction,
} from '@causeway/postgres'
import type { Consent, ConsentParties, Verification } from './domain/consent.ts'
import type { Decision } from './domain/decision.ts'
import {
  consentColumns,
  consentOf,
  hashBytes,
  partiesOf,
  verificationOf,
  type ConsentRow,
  type PartiesRow,
  type VerificationRow,
} from './row.ts'
import { writeDecisions } from './write-store.ts'

/** The ids whose state decisions need. */
export interface Keys {
  readonly consentIds: readonly string[]
  readonly verificationRequestIds: readonly string[]
  /** The ids of the events in the batch. */
  readonly eventIds: readonly string[]
  readonly signed: readonly SignedChallenge[]
}

export interface SignedChallenge {
  readonly consentId: string
  /** SHA-256, base64url. */
  readonly signedHash: string
}

export function provenKey({ consentId, signedHash }: SignedChallenge): string {
  return `${consentId} ${signedHash}`
}

export interface StoredConsents {
  readonly consents: ReadonlyMap<string, Consent>
  readonly parties: ReadonlyMap<string, ConsentParties>
  readonly verifications: ReadonlyMap<string, Verification>
  /** Events with a stored decision. */
  readonly handled: ReadonlySet<string>
  /** Challenges that are VERIFIED for some request, by `provenKey`. */
  readonly proven: ReadonlySet<string>
}

/** A decision with its consent and its event. */
export interface DecidedConsent {
  readonly consentId: string
  readonly eventId: string
  readonly decision: Decision
  readonly messages: readonly OutgoingMessage[]
}

export interface ConsentStore {
  read(keys: Keys): Promise<StoredConsents>
  /**
   * Decides on what is stored, stores the decisions and announces their messages, or does neither. Waiting
   * for the lock may take long, so `now` is read after it: what is decided later is not dated earlier.
   */
  change(
    keys: Keys,
    now: () => Date,
    decide: (known: StoredConsents, now: Date) => readonly DecidedConsent[],
  ): Promise<StoredConsents>
  /**
   * For a query by consentId or, if none matches, by consentRequestId; keyed by the requested id.
   */
  find(ids: readonly string[]): Promise<ReadonlyMap<string, FoundConsent>>
  /** Consents that have been PENDING since before that moment. */
  listUnconfirmed(before: Date, limit: number): Promise<readonly Consent[]>
  ensurePartitions(now: Date): Promise<void>
}

export interface FoundConsent {
  readonly consent: Consent
  readonly parties: ConsentParties | undefined
}

// Locks in one order, so that batches with common ids cannot deadlock.
const lockStatement = statement(`
  select pg_advisory_xact_lock(n) from (
    select distinct hashtextextended(id, 0) as n from unnest($1::text[]) as a (id) order by n
  ) as ordered`)

const consentsStatement = statement(`
  select ${consentColumns} from unnest($1::text[]) as a (id) join consents c using (id)`)

const partiesStatement = statement(`
  select p.consent_id, p.dfsp, p.pisp, p.consent_request_id
  from unnest($1::text[]) as a (consent_id) join consent_parties p using (consent_id)`)

const verificationsStatement = statement(`
  select v.id, v.consent_id, v.dfsp, v.request_event_id, v.request_hash, v.reason, v.detail,
    v.decided_at, v.signed_hash
  from unnest($1::text[]) as a (id) join verifications v using (id)`)

const provenStatement = statement(`
  select a.consent_id as "consentId", v.signed_hash as "signedHash"
  from unnest($1::text[], $2::bytea[]) as a (consent_id, signed_hash)
  join verifications v using (consent_id, signed_hash)`)

const handledStatement = statement(`
  select event_id as id from consent_steps where event_id = any($1::text[]::uuid[])`)

const byRequestStatement = statement(`
  select distinct on (a.id) a.id as asked, ${consentColumns}
  from unnest($1::text[]) as a (id) join consents c on c.consent_request_id = a.id
  order by a.id, c.registered_at desc`)

const unconfirmedStatement = statement(`
  select ${consentColumns} from consents c
  where state = 'PENDING' and registered_at <= $1 order by registered_at limit $2`)

export function openConsentStore(db: Database, bus: Pick<EventBus, 'announce'>): ConsentStore {
  return {
    read: (keys) => read(db, keys),
    change: (keys, now, decide) =>
      db.transaction(async (tx) => {
        await lock(tx, keys)
        const known = await read(tx, keys)
        const at = now()
        const decided = decide(known, at)
        await writeDecisions(tx, decided, at)
        bus.announce(
          tx,
          decided.flatMap(({ messages }) => messages),
        )
        return known
      }),
    find: (ids) => find(db, ids),
    async listUnconfirmed(before, limit) {
      return (await db.query<ConsentRow>(unconfirmedStatement, [before, limit])).map(consentOf)
    },
    ensurePartitions: (now) =>
      ensureMonthlyPartitions(db, ['consent_steps', 'revoked_credentials'], now),
  }
}

async function lock(tx: Transaction, keys: Keys): Promise<void> {
  await lockIds(tx, [
    ...keys.consentIds.map((id) => `consent ${id}`),
    ...keys.verificationRequestIds.map((id) => `verification ${id}`),
  ])
}

/** The same lock as for every other change of the consent. */
export function lockConsent(tx: Transaction, consentId: string): Promise<void> {
  return lockIds(tx, [`consent ${consentId}`])
}

async function lockIds(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx.query(lockStatement, [textArray(ids)])
}

async function read(db: Queries, keys: Keys): Promise<StoredConsents> {
  const { consentIds, verificationRequestIds, eventIds, signed } = keys
  const verifications = await rowsOf<VerificationRow>(
    db,
    verificationsStatement,
    verificationRequestIds,
  )
  // For a verification that is queried by its id alone, only its row names the consent.
  const ids = [...new Set([...consentIds, ...verifications.map((row) => row.consent_id)])]
  const [consents, parties, handled, proven] = await Promise.all([
    rowsOf<ConsentRow>(db, consentsStatement, ids),
    rowsOf<PartiesRow>(db, partiesStatement, ids),
    rowsOf<{ id: string }>(db, handledStatement, eventIds),
    provenAmong(db, signed),
  ])
  return {
    consents: new Map(consents.map((row) => [row.id, consentOf(row)])),
    parties: new Map(parties.map((row) => [row.consent_id, partiesOf(row)])),
    verifications: new Map(verifications.map((row) => [row.id, verificationOf(row)])),
    handled: new Set(handled.map(({ id }) => id)),
    proven: new Set(proven.map(provenKey)),
  }
}

async function provenAmong(
  db: Queries,
  signed: readonly SignedChallenge[],
): Promise<readonly SignedChallenge[]> {
  if (signed.length === 0) return []
  const rows = await db.query<{ consentId: string; signedHash: Buffer }>(provenStatement, [
    textArray(signed.map(({ consentId }) => consentId)),
    byteaArray(signed.map(({ signedHash }) => hashBytes(signedHash))),
  ])
  return rows.map(({ consentId, signedHash }) => ({
    consentId,
    signedHash: signedHash.toString('base64url'),
  }))
}

async function rowsOf<Row>(
  db: Queries,
  select: ReturnType<typeof statement>,
  ids: readonly string[],
): Promise<readonly Row[]> {
  return ids.length === 0 ? [] : db.query<Row>(select, [textArray(ids)])
}

async function find(
  db: Queries,
  ids: readonly string[],
): Promise<ReadonlyMap<string, FoundConsent>> {
  if (ids.length === 0) return new Map()
  const [own, byRequest] = await Promise.all([
    rowsOf<ConsentRow>(db, consentsStatement, ids),
    rowsOf<ConsentRow & { readonly asked: string }>(db, byRequestStatement, ids),
  ])
  const rows = new Map<string, ConsentRow>(byRequest.map((row) => [row.asked, row]))
  for (const row of own) rows.set(row.id, row)
  const consentIds = [...new Set([...rows.values()].map(({ id }) => id))]
  const parties = new Map(
    (await rowsOf<PartiesRow>(db, partiesStatement, consentIds)).map((row) => [
      row.consent_id,
      partiesOf(row),
    ]),
  )
  return new Map(
    [...rows].map(([asked, row]) => [
      asked,
      { consent: consentOf(row), parties: parties.get(row.id) },
    ]),
  )
}
