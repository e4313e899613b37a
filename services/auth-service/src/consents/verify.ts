/**
 * Verifies what is stored of consents: the credential of a consent in force is still the one whose
 * registration proved it, and every signature that counted was given while its consent was in force.
 */
import type { Verifier } from '@causeway/credentials'
import { consentChallenge } from '@causeway/fspiop'
import { statement, type Queries } from '@causeway/runtime'
import { payloadIn } from './contract.ts'
import type { Issued, Pending } from './domain/consent.ts'
import { credentialCheck } from './examine.ts'
import { consentColumns, consentOf, type ConsentRow } from './row.ts'

export interface ConsentsVerified {
  /** Credentials that were checked again. */
  readonly consents: number
  /** Signatures that were found to be valid. */
  readonly verifications: number
  /** One sentence each. */
  readonly differences: string[]
}

const page_max = 500
/** The newest of those in force: checking one again takes as long as registering it. */
const consents_max = 20_000
/** Beyond so many the reader knows enough. */
const differences_max = 100
/** By so much the clocks of two processes may differ. */
const clocks = '1 second'

const pageStatement = statement(`
  select ${consentColumns} from consents c
  where c.state in ('PENDING', 'ISSUED')
    and ($1::timestamptz is null or (c.registered_at, c.id) < ($1::timestamptz, $2::text))
  order by c.registered_at desc, c.id desc limit ${page_max}`)

const untimelyStatement = statement(`
  select v.id, v.consent_id from verifications v left join consents c on c.id = v.consent_id
  where v.reason is null and (
    c.issued_at is null or c.dfsp <> v.dfsp or c.issued_at > v.decided_at + interval '${clocks}'
    or c.revoked_at < v.decided_at - interval '${clocks}')
  order by v.id limit ${differences_max}`)

const countStatement = statement(`
  select count(*)::int as verified from verifications where reason is null`)

export async function verifyConsents(db: Queries): Promise<ConsentsVerified> {
  const { consents, differences } = await checkCredentials(db)
  const untimely = await db.query<{ id: string; consent_id: string }>(untimelyStatement, [])
  const [count] = await db.query<{ verified: number }>(countStatement, [])
  return {
    consents,
    verifications: count?.verified ?? 0,
    differences: [
      ...differences,
      ...untimely.map(
        ({ id, consent_id }) =>
          `verification ${id} is VERIFIED, but consent ${consent_id} was not in force for its FSP then`,
      ),
    ],
  }
}

async function checkCredentials(db: Queries) {
  const differences: string[] = []
  let consents = 0
  let last: ConsentRow | undefined
  do {
    const after = [last?.registered_at ?? null, last?.id ?? '']
    const rows: readonly ConsentRow[] = await db.query<ConsentRow>(pageStatement, after)
    for (const row of rows) {
      const consent = consentOf(row)
      if (consent.state !== 'PENDING' && consent.state !== 'ISSUED') continue
      if (!(await isProven(consent))) {
        differences.push(
          `consent ${row.id} is ${row.state}, but its registration does not prove its credential`,
        )
      }
    }
    consents += rows.length
    last = rows.length < page_max ? undefined : rows.at(-1)
  } while (last !== undefined && consents < consents_max && differences.length < differences_max)
  return { consents, differences }
}

async function isProven({ consentId, verifier, document }: Pending | Issued): Promise<boolean> {
  const check = await credentialCheck({
    credentialType: verifier.type,
    payload: payloadIn(document.credential),
    challenge: consentChallenge({ consentId, scopes: document.scopes }),
  })
  return check.type === 'VALID' && isSame(check.verifier, verifier)
}

/** The counter has gone on since, and the name of the relying party came from the policy of then. */
function isSame(proven: Verifier, stored: Verifier): boolean {
  if (proven.publicKey !== stored.publicKey) return false
  if (proven.type === 'GENERIC' || stored.type === 'GENERIC') return proven.type === stored.type
  return (
    proven.credentialId === stored.credentialId &&
    proven.rpIdHash === stored.rpIdHash &&
    proven.origin === stored.origin
  )
}
