/** Maps rows to consents, parties and verifications. */
import type { Verifier } from '@causeway/credentials'
import type {
  Consent,
  ConsentDocument,
  ConsentParties,
  Registered,
  Usable,
  Verification,
  VerificationReason,
} from './domain/consent.ts'
import type { RegistrationReason } from './domain/reason.ts'

export interface ConsentRow {
  readonly id: string
  readonly state: Consent['state']
  readonly dfsp: string
  readonly version: string
  readonly request_event_id: string
  readonly request_hash: Buffer
  readonly consent_request_id: string | null
  readonly registered_at: Date
  readonly issued_at: Date | null
  readonly revoked_at: Date | null
  readonly revoked_by: string | null
  readonly reason: RegistrationReason | null
  readonly verifier: string | null
  readonly sign_count: string | null
  readonly scopes: string | null
  readonly credential: string | null
}

/** The columns of a `ConsentRow`; the table goes by the name c. */
export const consentColumns = `c.id, c.state, c.dfsp, c.version, c.request_event_id, c.request_hash,
  c.consent_request_id, c.registered_at, c.issued_at, c.revoked_at, c.revoked_by, c.reason,
  c.verifier, c.sign_count, c.scopes, c.credential`

export function consentOf(row: ConsentRow): Consent {
  const registered: Registered = {
    consentId: row.id,
    dfspId: row.dfsp,
    version: row.version,
    requestEventId: row.request_event_id,
    requestHash: row.request_hash.toString('base64url'),
    consentRequestId: row.consent_request_id ?? undefined,
    registeredAt: row.registered_at,
  }
  switch (row.state) {
    case 'PENDING':
      return { ...registered, ...usableOf(row), state: row.state }
    case 'ISSUED':
      return {
        ...registered,
        ...usableOf(row),
        state: row.state,
        issuedAt: present(row, row.issued_at),
      }
    case 'REVOKED':
      return {
        ...registered,
        state: row.state,
        issuedAt: row.issued_at ?? undefined,
        revokedAt: present(row, row.revoked_at),
        revokedBy: present(row, row.revoked_by),
      }
    case 'REFUSED':
      return { ...registered, state: row.state, reason: present(row, row.reason) }
  }
}

function usableOf(row: ConsentRow): Usable {
  const verifier = JSON.parse(present(row, row.verifier)) as Verifier
  return {
    verifier:
      verifier.type === 'FIDO'
        ? { ...verifier, signCount: Number(present(row, row.sign_count)) }
        : verifier,
    document: {
      scopes: JSON.parse(present(row, row.scopes)) as ConsentDocument['scopes'],
      credential: JSON.parse(present(row, row.credential)) as ConsentDocument['credential'],
    },
  }
}

/** A constraint of the table guarantees the value. */
function present<T>({ id, state }: ConsentRow, value: T | null): T {
  if (value === null) throw new Error(`consent ${id} is ${state} without a required column`)
  return value
}

/** The columns of a usable credential. */
export interface CredentialColumns {
  readonly type: string
  readonly verifier: string
  readonly signCount: string
  readonly scopes: string
  readonly credential: string
}

export function credentialColumns({ verifier, document }: Usable): CredentialColumns {
  return {
    type: verifier.type,
    verifier: JSON.stringify(verifier, (name, value: unknown) =>
      name === 'signCount' ? undefined : value,
    ),
    signCount: verifier.type === 'FIDO' ? String(verifier.signCount) : '0',
    scopes: JSON.stringify(document.scopes),
    credential: JSON.stringify(document.credential),
  }
}

export interface PartiesRow {
  readonly consent_id: string
  readonly dfsp: string
  readonly pisp: string
  readonly consent_request_id: string | null
}

export function partiesOf(row: PartiesRow): ConsentParties {
  return {
    consentId: row.consent_id,
    dfspId: row.dfsp,
    pispId: row.pisp,
    consentRequestId: row.consent_request_id ?? undefined,
  }
}

export interface VerificationRow {
  readonly id: string
  readonly consent_id: string
  readonly dfsp: string
  readonly request_event_id: string
  readonly request_hash: Buffer
  readonly reason: VerificationReason | null
  readonly detail: string
  readonly decided_at: Date
  readonly signed_hash: Buffer | null
}

export function verificationOf(row: VerificationRow): Verification {
  const { reason, detail } = row
  // Null where the verification failed: the constraints of the table enforce this, too.
  const signedHash = row.signed_hash?.toString('base64url') ?? ''
  return {
    verificationRequestId: row.id,
    consentId: row.consent_id,
    dfspId: row.dfsp,
    requestEventId: row.request_event_id,
    requestHash: row.request_hash.toString('base64url'),
    result: reason === null ? { type: 'VERIFIED', signedHash } : { type: 'FAILED', reason, detail },
    decidedAt: row.decided_at,
  }
}

export function hashBytes(hash: string): Buffer {
  return Buffer.from(hash, 'base64url')
}
