/** Serves secrets, tokens and certificates over gRPC. */
import { refusalMessage } from '@causeway/services'
import type { Handlers } from '@causeway/grpc'
import { present, type credentialsService } from '@causeway/protos'
import { createdByFault, timeMessage } from '../../contract.ts'
import { isName } from '../find-fsp.ts'
import type { AuthMeasures } from '../../measures.ts'
import { issueCertificate, type CertificateParts } from './certificates.ts'
import { createSecret, endAllSecrets } from './secrets.ts'
import { registerCertificate, revokeCertificate, type RegisteredOutcome } from './registered.ts'
import { certificatesOf, credentialStates, type RegisteredCertificate } from './store.ts'
import { issueToken, type TokenParts } from './tokens.ts'

export interface CredentialParts extends TokenParts, CertificateParts {
  readonly db: CertificateParts['db']
  readonly measures: AuthMeasures
}

type CredentialsHandlers = Handlers<typeof credentialsService>

export function serveCredentials(parts: CredentialParts): CredentialsHandlers {
  return { ...secrets(parts), ...tokens(parts), ...certificates(parts), ...registered(parts) }
}

function secrets(
  parts: CredentialParts,
): Pick<CredentialsHandlers, 'CreateClientSecret' | 'EndClientSecrets'> {
  return {
    async CreateClientSecret({ participant, createdBy }) {
      const made = createdByFault(createdBy) ?? (await createSecret(parts, participant, createdBy))
      return made.type === 'REFUSE'
        ? { refusal: refusalMessage(made) }
        : { secret: { clientId: participant, clientSecret: made.secret } }
    },
    async EndClientSecrets({ name, actor }) {
      const refused = await endAllSecrets(parts, name, actor)
      return { refusal: refused === undefined ? null : refusalMessage(refused) }
    },
  }
}

function tokens(parts: CredentialParts): Pick<CredentialsHandlers, 'IssueToken' | 'GetTokenKeys'> {
  return {
    async IssueToken({ clientId, clientSecret, certificateThumbprint: boundTo }) {
      const issued = await issueToken(parts, { clientId, clientSecret, boundTo }, new Date())
      parts.measures.token(issued.type === 'ISSUED')
      return issued.type === 'REFUSE'
        ? { refusal: refusalMessage(issued) }
        : { token: { accessToken: issued.accessToken, expiresInS: issued.expiresIn_s } }
    },
    async GetTokenKeys() {
      return { jwksJson: await parts.tokenKeys.jwks(new Date()) }
    },
  }
}

function certificates(
  parts: CredentialParts,
): Pick<CredentialsHandlers, 'IssueCertificate' | 'GetCredentialStates'> {
  return {
    async IssueCertificate({ participant, csr, actor }) {
      const issued = await issueCertificate(parts, { participant, csr, actor })
      parts.measures.certificate(issued.type === 'ISSUED')
      if (issued.type === 'REFUSE') return { refusal: refusalMessage(issued) }
      const { certificate, ca, validTo } = issued
      return { certificate: { certificate, ca, validTo: timeMessage(validTo) } }
    },
    async GetCredentialStates({ names }) {
      const rows = await credentialStates(parts.db, [...new Set(names.filter(isName))])
      const states = rows.map(({ certificateValidTo, ...row }) => ({
        ...row,
        ...present({ certificateValidTo: certificateValidTo?.toISOString() }),
      }))
      return { states }
    },
  }
}

function registered(
  parts: CredentialParts,
): Pick<CredentialsHandlers, 'RegisterCertificate' | 'RevokeCertificate' | 'GetCertificates'> {
  return {
    RegisterCertificate: async (registration) =>
      registeredAnswer(await registerCertificate(parts, registration)),
    RevokeCertificate: async (revocation) =>
      registeredAnswer(await revokeCertificate(parts, revocation)),
    async GetCertificates({ names }) {
      const found = await certificatesOf(parts.db, [...new Set(names.filter(isName))])
      const participants = [...found].map(([participant, known]) => ({
        participant,
        certificates: known.map(certificateMessage),
      }))
      return { participants }
    },
  }
}

function registeredAnswer(outcome: RegisteredOutcome) {
  return outcome.type === 'REFUSE'
    ? { refusal: refusalMessage(outcome) }
    : { certificate: certificateMessage(outcome.certificate) }
}

function certificateMessage({
  serial,
  fingerprint,
  origin,
  validFrom,
  validTo,
  registeredAt,
  revokedAt,
}: RegisteredCertificate) {
  return {
    serial,
    fingerprint,
    origin,
    validFrom: timeMessage(validFrom),
    validTo: timeMessage(validTo),
    registeredAt: timeMessage(registeredAt),
    ...(revokedAt === null ? {} : { revokedAt: timeMessage(revokedAt) }),
  }
}
