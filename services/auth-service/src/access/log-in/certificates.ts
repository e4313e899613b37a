/** Log-in with a client certificate and a nonce that its private key has signed. */
import { authoritiesIn } from '../../authority-files.ts'
import { refuse, type RefusedCommand } from '../../domain/refusal.ts'
import { refuseProof } from '../fido/ceremonies.ts'
import { claimChallenge } from '../fido/challenge-store.ts'
import { createChallenge, type MadeChallenge } from '../fido/challenges.ts'
import { challengeFault } from '../fido/domain/challenge.ts'
import { isOperatorName, type Operator } from '../operators/domain/operator.ts'
import { admit, type KeyStep, type OpenSession, type SessionParts } from '../operators/sessions.ts'
import { operatorsOf } from '../operators/store.ts'
import type { AuthServiceSettings } from '../../settings.ts'
import { checkCertificate, type Authorities, type CertificateProof } from './certificate.ts'

export interface CertificateParts extends SessionParts {
  /** Undefined: certificates are no log-in here. */
  readonly readAuthorities: (() => Promise<Authorities>) | undefined
}

/** No other message that a key signs begins so. */
const noncePrefix = 'causeway-app-pem-auth:'

const noAuthority = refuse('NO_CA', 'this hub accepts no certificates of operators')

type FileSetting = 'AUTH_SERVICE_OPERATOR_CA_FILE' | 'AUTH_SERVICE_SERVICE_CA_FILE'

/**
 * Returns a function that reads the authorities from their files on each call, so that a renewed
 * one needs no restart. Throws StartError for a file without certificates.
 */
export async function openAuthorities(
  settings: Pick<AuthServiceSettings, FileSetting>,
): Promise<(() => Promise<Authorities>) | undefined> {
  const read = (name: FileSetting) => authoritiesIn(name, settings[name])
  const { AUTH_SERVICE_OPERATOR_CA_FILE: ofOperators, AUTH_SERVICE_SERVICE_CA_FILE: ofServices } =
    settings
  if (ofOperators === undefined && ofServices === undefined) return undefined
  const readAll = async () => ({
    operators: await read('AUTH_SERVICE_OPERATOR_CA_FILE'),
    services: await read('AUTH_SERVICE_SERVICE_CA_FILE'),
  })
  await readAll()
  return readAll
}

export async function createNonce(
  { fido, readAuthorities }: CertificateParts,
  now: Date,
): Promise<MadeChallenge | RefusedCommand> {
  if (readAuthorities === undefined) return noAuthority
  const wanted = { realm: 'OPERATOR', purpose: 'CERTIFICATE', userId: null } as const
  return createChallenge(fido, wanted, now, noncePrefix)
}

export async function logInWithCertificate(
  parts: CertificateParts,
  proof: CertificateProof,
  now: Date,
): Promise<OpenSession | KeyStep | RefusedCommand> {
  const { db, readAuthorities } = parts
  if (readAuthorities === undefined) return noAuthority
  const claimed = await claimChallenge(db, proof.nonce, now)
  const certified = checkCertificate(proof, await readAuthorities(), now)
  const claimedName = isOperatorName(certified.name) ? certified.name : 'unknown'
  const attempt = { claimed, realm: 'OPERATOR', userId: claimedName, actor: claimedName } as const
  const failed = (fault: string) => refuseProof(parts, attempt, fault, now)
  const use = { realm: 'OPERATOR', purposes: ['CERTIFICATE'] } as const
  const fault = challengeFault(claimed, use, now)
  if (fault !== undefined) return failed(fault)
  if (certified.type === 'FAULTY') return failed(certified.fault)
  const [operator] = await operatorsOf(db, [certified.name])
  const unfit = operatorFault(operator, certified.mayBePerson)
  if (operator === undefined || unfit !== undefined) return failed(unfit ?? '')
  return admit(parts, operator, 'CERTIFICATE', now)
}

function operatorFault(operator: Operator | undefined, mayBePerson: boolean): string | undefined {
  if (operator === undefined) return 'its subject is not an operator'
  if (!operator.isActive) return 'its subject is disabled'
  return operator.kind === 'PERSON' && !mayBePerson
    ? 'the authority of services certifies no people'
    : undefined
}
