/**
 * The credentials of FSPs: client secrets, shown once, and the certificates that identify them: issued for
 * their keys, or made elsewhere and registered.
 */
import type { Refusal, RegisteredCertificate } from '@causeway/protos'
import { z } from 'zod'
import { answered, type OperationResult } from '../answer.ts'
import { commands, reads, writes, type Operation } from '../operation.ts'
import { shownTime } from '../shapes.ts'
import { findParticipant, refusedUpstream, unknownParticipant, type Deps } from '../upstream.ts'

const request = z.strictObject({ csr: z.string() })

const shownSecret = z.strictObject({ clientId: z.string(), clientSecret: z.string() })

/** Both in PEM. */
const shownCertificate = z.strictObject({
  certificate: z.string(),
  ca: z.string(),
  validTo: shownTime,
})

const registration = z.strictObject({
  /** PEM. */
  certificate: z.string(),
})

const shownRegistered = z
  .strictObject({
    /** Hexadecimal. */
    serial: z.string(),
    /** SHA-256 of the certificate, hexadecimal. */
    fingerprint: z.string(),
    /** REGISTERED: it was made elsewhere. */
    origin: z.enum(['ISSUED', 'REGISTERED']),
    validFrom: shownTime,
    validTo: shownTime,
    registeredAt: shownTime,
    /** From then on it identifies nobody. */
    revokedAt: shownTime.nullable(),
  })
  .meta({ id: 'RegisteredCertificate' })

export function credentialOperations(deps: Deps): readonly Operation[] {
  const secrets = '/participants/:name/client-secrets'
  return [
    commands(
      'POST',
      secrets,
      {
        about: 'Creates a client secret; only this answer shows it',
        answers: { 201: shownSecret },
        refuses: ['PARTICIPANT_UNKNOWN'],
      },
      ({ name, actor }) => createSecret(deps, name, actor),
    ),
    commands(
      'DELETE',
      secrets,
      {
        about: 'Ends all client secrets of an FSP',
        answers: { 204: null },
        refuses: ['PARTICIPANT_UNKNOWN'],
      },
      ({ name, actor }) => endSecrets(deps, name, actor),
    ),
    writes(
      'POST',
      '/participants/:name/certificates',
      request,
      {
        about: 'Certifies the key of a certificate signing request',
        answers: { 201: shownCertificate },
        refuses: ['PARTICIPANT_UNKNOWN', 'NO_CA'],
      },
      ({ name, body, actor }) => issueCertificate(deps, name, body.csr, actor),
    ),
    ...registeredOperations(deps),
  ]
}

function registeredOperations(deps: Deps): readonly Operation[] {
  const path = '/participants/:name/certificates'
  return [
    reads(
      path,
      {
        about: "An FSP's client certificates, revoked ones too; those that end last first",
        answers: { 200: z.array(shownRegistered) },
        refuses: ['PARTICIPANT_UNKNOWN'],
      },
      ({ name }) => listCertificates(deps, name),
    ),
    writes(
      'POST',
      `${path}/registrations`,
      registration,
      {
        about: 'Registers a certificate that was made elsewhere; the same again is no change',
        answers: { 201: shownRegistered },
        refuses: ['PARTICIPANT_UNKNOWN', 'CERTIFICATE_EXISTS', 'CERTIFICATE_REVOKED'],
      },
      async ({ name: participant, body: { certificate }, actor }) =>
        registeredAnswer(
          await deps.credentials.RegisterCertificate({ participant, certificate, actor }),
          201,
        ),
    ),
    commands(
      'DELETE',
      `${path}/:serial`,
      {
        about: 'Revokes a certificate, on open connections too; it stays in the list',
        answers: { 200: shownRegistered },
        refuses: ['PARTICIPANT_UNKNOWN', 'CERTIFICATE_UNKNOWN'],
      },
      ({ name, serial, actor }) => revokeCertificate(deps, name, serial, actor),
    ),
  ]
}

async function listCertificates(deps: Deps, name: string): Promise<OperationResult> {
  if ((await findParticipant(deps, name)) === undefined) return unknownParticipant(name)
  const { participants } = await deps.credentials.GetCertificates({ names: [name] })
  return answered(200, (participants[0]?.certificates ?? []).map(registeredBody))
}

async function revokeCertificate(
  deps: Deps,
  participant: string,
  serial: string,
  actor: string,
): Promise<OperationResult> {
  if ((await findParticipant(deps, participant)) === undefined) {
    return unknownParticipant(participant)
  }
  const answer = await deps.credentials.RevokeCertificate({ participant, serial, actor })
  return registeredAnswer(answer, 200)
}

function registeredAnswer(
  {
    certificate,
    refusal,
  }: { readonly certificate?: RegisteredCertificate | null; readonly refusal?: Refusal | null },
  status: 200 | 201,
): OperationResult {
  if (refusal) return refusedUpstream(refusal)
  if (!certificate) throw new Error('a certificate was changed, but not returned')
  return answered(status, registeredBody(certificate))
}

function registeredBody({ origin, revokedAt, ...certificate }: RegisteredCertificate) {
  const { serial, fingerprint, validFrom, validTo, registeredAt } = certificate
  const made = origin === 'ISSUED' ? 'ISSUED' : 'REGISTERED'
  return {
    serial,
    fingerprint,
    origin: made,
    validFrom,
    validTo,
    registeredAt,
    revokedAt: revokedAt ?? null,
  } as const
}

/** The secret is stored only as a hash, so only this answer shows it. */
async function createSecret(
  deps: Deps,
  participant: string,
  actor: string,
): Promise<OperationResult> {
  const { secret, refusal } = await deps.credentials.CreateClientSecret({
    participant,
    createdBy: actor,
  })
  if (refusal) return refusedUpstream(refusal)
  if (!secret) throw new Error('a secret was created, but not returned')
  return answered(201, { clientId: secret.clientId, clientSecret: secret.clientSecret })
}

async function endSecrets(deps: Deps, name: string, actor: string): Promise<OperationResult> {
  const { refusal } = await deps.credentials.EndClientSecrets({ name, actor })
  return refusal ? refusedUpstream(refusal) : answered(204)
}

async function issueCertificate(
  deps: Deps,
  participant: string,
  csr: string,
  actor: string,
): Promise<OperationResult> {
  const { certificate, refusal } = await deps.credentials.IssueCertificate({
    participant,
    csr,
    actor,
  })
  if (refusal) return refusedUpstream(refusal)
  if (!certificate) throw new Error('a certificate was issued, but not returned')
  return answered(201, {
    certificate: certificate.certificate,
    ca: certificate.ca,
    validTo: certificate.validTo,
  })
}
