/**
 * Verifies stored consents: the registration of a consent in force still proves its credential, and
 * every accepted signature was verified while its consent was in force.
 */
import type { Verifier } from '@causeway/credentials'
import { consentChallenge } from '@causeway/fspiop'
import type { Queries } from '@causeway/postgres'
import { payloadIn } from './contract.ts'
import type { Issued, Pending } from './domain/consent.ts'
import { credentialCheck } from './examine.ts'
import { consentOf } from './row.ts'
import { countVerified, readInForce, readUntimely } from './verify-store.ts'

export interface ConsentsVerified {
  /** Number of credentials that were checked. */
  readonly consents: number
  /** Number of signatures with the result VERIFIED. */
  readonly verifications: number
  /** One sentence each. */
  readonly differences: string[]
}

/** Only the newest consents in force: checking one takes as long as registering it. */
const consents_max = 20_000
/** Further differences are not reported. */
const differences_max = 100

export async function verifyConsents(db: Queries): Promise<ConsentsVerified> {
  const { consents, differences } = await checkCredentials(db)
  const untimely = await readUntimely(db)
  return {
    consents,
    verifications: await countVerified(db),
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
  let rows = await readInForce(db, undefined)
  while (rows.length > 0 && consents < consents_max && differences.length < differences_max) {
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
    rows = await readInForce(db, rows.at(-1))
  }
  return { consents, differences }
}

async function isProven({ consentId, verifier, document }: Pending | Issued): Promise<boolean> {
  const registered = {
    credentialType: verifier.type,
    payload: payloadIn(document.credential),
    challenge: consentChallenge({ consentId, scopes: document.scopes }),
  }
  // Roots may have been listed since.
  const check = await credentialCheck(registered, [])
  return check.type === 'VALID' && isSame(check.verifier, verifier)
}

/**
 * The counter has changed since, and the relying party's name depended on the policy at that time.
 */
function isSame(proven: Verifier, stored: Verifier): boolean {
  if (proven.publicKey !== stored.publicKey) return false
  if (proven.type === 'GENERIC' || stored.type === 'GENERIC') return proven.type === stored.type
  return (
    proven.credentialId === stored.credentialId &&
    proven.rpIdHash === stored.rpIdHash &&
    proven.origin === stored.origin
  )
}
