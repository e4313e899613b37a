/** The credentials of FSPs: client secrets, shown once, and certificates for their keys. */
import { z } from 'zod'
import { answered, type Answer } from '../answer.ts'
import { commands, writes, type Operation } from '../operation.ts'
import { shownTime } from '../shapes.ts'
import { refusedUpstream, type Deps } from '../upstream.ts'

const request = z.strictObject({ csr: z.string() })

const shownSecret = z.strictObject({ clientId: z.string(), clientSecret: z.string() })

/** Both in PEM. */
const shownCertificate = z.strictObject({
  certificate: z.string(),
  ca: z.string(),
  validTo: shownTime,
})

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
  ]
}

/** The secret is stored only as a hash, so only this answer shows it. */
async function createSecret(deps: Deps, participant: string, actor: string): Promise<Answer> {
  const { secret, refusal } = await deps.credentials.CreateClientSecret({
    participant,
    createdBy: actor,
  })
  if (refusal) return refusedUpstream(refusal)
  if (!secret) throw new Error('a secret was created, but not returned')
  return answered(201, { clientId: secret.clientId, clientSecret: secret.clientSecret })
}

async function endSecrets(deps: Deps, name: string, actor: string): Promise<Answer> {
  const { refusal } = await deps.credentials.EndClientSecrets({ name, actor })
  return refusal ? refusedUpstream(refusal) : answered(204)
}

async function issueCertificate(
  deps: Deps,
  participant: string,
  csr: string,
  actor: string,
): Promise<Answer> {
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
