/** Writes decisions in batches. Requires the locks of their consents and verifications. */
import { byteaArray, monthOf, statement, textArray, type Transaction } from '@causeway/postgres'
import { isUsable, type Consent, type VerificationResult } from './domain/consent.ts'
import { credentialColumns, hashBytes } from './row.ts'
import type { DecidedConsent } from './store.ts'

// Because of the lock, no other transaction can have inserted the row since it was read.
const consentsStatement = statement(`
  insert into consents (id, state, dfsp, version, request_event_id, request_hash,
    consent_request_id, registered_at, issued_at, revoked_at, revoked_by, reason, credential_type,
    verifier, sign_count, scopes, credential)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]::uuid[],
    $6::bytea[], $7::text[], $8::text[]::timestamptz[], $9::text[]::timestamptz[],
    $10::text[]::timestamptz[], $11::text[], $12::text[], $13::text[], $14::text[],
    $15::text[]::bigint[], $16::text[], $17::text[])
  on conflict (id) do update set state = excluded.state, dfsp = excluded.dfsp,
    version = excluded.version, request_event_id = excluded.request_event_id,
    request_hash = excluded.request_hash, consent_request_id = excluded.consent_request_id,
    registered_at = excluded.registered_at, issued_at = excluded.issued_at,
    revoked_at = excluded.revoked_at, revoked_by = excluded.revoked_by, reason = excluded.reason,
    credential_type = excluded.credential_type, verifier = excluded.verifier,
    sign_count = excluded.sign_count, scopes = excluded.scopes, credential = excluded.credential`)

const withdrawnStatement = statement(`
  insert into revoked_credentials (month, consent_id, credential_type, verifier, sign_count, scopes,
    credential)
  select $1::date, * from unnest($2::text[], $3::text[], $4::text[], $5::text[]::bigint[],
    $6::text[], $7::text[])
  on conflict do nothing`)

const partiesStatement = statement(`
  insert into consent_parties (consent_id, dfsp, pisp, consent_request_id, observed_at)
  select a.*, $5::timestamptz from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as a
  on conflict do nothing`)

const verificationsStatement = statement(`
  insert into verifications (id, consent_id, dfsp, request_event_id, request_hash, reason, detail,
    signed_hash, decided_at)
  select a.*, $9::timestamptz from unnest($1::text[], $2::text[], $3::text[], $4::text[]::uuid[],
    $5::bytea[], $6::text[], $7::text[], $8::bytea[]) as a`)

const countsStatement = statement(`
  update consents c set sign_count = a.received
  from unnest($1::text[], $2::text[]::bigint[], $3::text[]::bigint[]) as a (id, stored, received)
  where c.id = a.id and c.state = 'ISSUED' and c.sign_count = a.stored
  returning c.id`)

const stepsStatement = statement(`
  insert into consent_steps (month, event_id, consent_id, at, step, fsp, detail)
  select $1::date, a.event_id, a.consent_id, $2::timestamptz, a.step, a.fsp, a.detail
  from unnest($3::text[]::uuid[], $4::text[], $5::text[], $6::text[], $7::text[])
    as a (event_id, consent_id, step, fsp, detail)`)

export async function writeDecisions(
  tx: Transaction,
  decided: readonly DecidedConsent[],
  now: Date,
): Promise<void> {
  await Promise.all([
    writeConsents(tx, decided),
    writeWithdrawn(tx, decided, now),
    writeParties(tx, decided, now),
    writeVerifications(tx, decided, now),
    writeCounts(tx, decided),
    writeSteps(tx, decided, now),
  ])
}

async function writeConsents(tx: Transaction, decided: readonly DecidedConsent[]): Promise<void> {
  const consents = decided.flatMap(({ decision: { consent } }) => consent ?? [])
  if (consents.length === 0) return
  const texts = (of: (consent: Consent) => string | null) => textArray(consents.map(of))
  const usable = consents.map((consent) => (isUsable(consent) ? credentialColumns(consent) : null))
  await tx.query(consentsStatement, [
    texts(({ consentId }) => consentId),
    texts(({ state }) => state),
    texts(({ dfspId }) => dfspId),
    texts(({ version }) => version),
    texts(({ requestEventId }) => requestEventId),
    byteaArray(consents.map(({ requestHash }) => hashBytes(requestHash))),
    texts(({ consentRequestId }) => consentRequestId ?? null),
    texts(({ registeredAt }) => registeredAt.toISOString()),
    texts((consent) => ('issuedAt' in consent ? (consent.issuedAt?.toISOString() ?? null) : null)),
    texts((consent) => (consent.state === 'REVOKED' ? consent.revokedAt.toISOString() : null)),
    texts((consent) => (consent.state === 'REVOKED' ? consent.revokedBy : null)),
    texts((consent) => (consent.state === 'REFUSED' ? consent.reason : null)),
    textArray(usable.map((columns) => columns?.type ?? null)),
    textArray(usable.map((columns) => columns?.verifier ?? null)),
    textArray(usable.map((columns) => columns?.signCount ?? null)),
    textArray(usable.map((columns) => columns?.scopes ?? null)),
    textArray(usable.map((columns) => columns?.credential ?? null)),
  ])
}

async function writeWithdrawn(
  tx: Transaction,
  decided: readonly DecidedConsent[],
  now: Date,
): Promise<void> {
  const withdrawn = decided.flatMap(({ consentId, decision }) =>
    decision.withdrawn === undefined
      ? []
      : [{ consentId, ...credentialColumns(decision.withdrawn) }],
  )
  if (withdrawn.length === 0) return
  await tx.query(withdrawnStatement, [
    monthOf(now),
    textArray(withdrawn.map(({ consentId }) => consentId)),
    textArray(withdrawn.map(({ type }) => type)),
    textArray(withdrawn.map(({ verifier }) => verifier)),
    textArray(withdrawn.map(({ signCount }) => signCount)),
    textArray(withdrawn.map(({ scopes }) => scopes)),
    textArray(withdrawn.map(({ credential }) => credential)),
  ])
}

async function writeParties(
  tx: Transaction,
  decided: readonly DecidedConsent[],
  now: Date,
): Promise<void> {
  const parties = decided.flatMap(({ decision }) => decision.parties ?? [])
  if (parties.length === 0) return
  await tx.query(partiesStatement, [
    textArray(parties.map(({ consentId }) => consentId)),
    textArray(parties.map(({ dfspId }) => dfspId)),
    textArray(parties.map(({ pispId }) => pispId)),
    textArray(parties.map(({ consentRequestId }) => consentRequestId ?? null)),
    now,
  ])
}

async function writeVerifications(
  tx: Transaction,
  decided: readonly DecidedConsent[],
  now: Date,
): Promise<void> {
  const all = decided.flatMap(({ decision }) => decision.verification ?? [])
  if (all.length === 0) return
  await tx.query(verificationsStatement, [
    textArray(all.map(({ verificationRequestId }) => verificationRequestId)),
    textArray(all.map(({ consentId }) => consentId)),
    textArray(all.map(({ dfspId }) => dfspId)),
    textArray(all.map(({ requestEventId }) => requestEventId)),
    byteaArray(all.map(({ requestHash }) => hashBytes(requestHash))),
    textArray(all.map(({ result }) => (result.type === 'FAILED' ? result.reason : null))),
    textArray(all.map(({ result }) => (result.type === 'FAILED' ? result.detail : ''))),
    byteaArray(all.map(({ result }) => hashOf(result))),
    now,
  ])
}

function hashOf(result: VerificationResult): Buffer | null {
  return result.type === 'FAILED' ? null : hashBytes(result.signedHash)
}

/**
 * Throws if a counter differs from the value that was read: then nothing of the batch is stored.
 */
async function writeCounts(tx: Transaction, decided: readonly DecidedConsent[]): Promise<void> {
  const counts = decided.flatMap(({ consentId, decision: { signCount } }) =>
    signCount === undefined ? [] : [{ consentId, ...signCount }],
  )
  if (counts.length === 0) return
  const rows = await tx.query(countsStatement, [
    textArray(counts.map(({ consentId }) => consentId)),
    textArray(counts.map(({ from }) => String(from))),
    textArray(counts.map(({ to }) => String(to))),
  ])
  if (rows.length !== counts.length) throw new Error('a signature counter has changed concurrently')
}

async function writeSteps(
  tx: Transaction,
  decided: readonly DecidedConsent[],
  now: Date,
): Promise<void> {
  const steps = decided.flatMap(({ consentId, eventId, decision: { step } }) =>
    step === undefined ? [] : [{ consentId, eventId, ...step }],
  )
  if (steps.length === 0) return
  await tx.query(stepsStatement, [
    monthOf(now),
    now,
    textArray(steps.map(({ eventId }) => eventId)),
    textArray(steps.map(({ consentId }) => consentId)),
    textArray(steps.map(({ type }) => type)),
    textArray(steps.map(({ fspId }) => fspId)),
    textArray(steps.map(({ detail }) => detail)),
  ])
}
