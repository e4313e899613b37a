/** What FSPs identify themselves with: client secrets, shown once, and certificates for their keys. */
import { z } from 'zod'
import { answered, type Answer } from '../answer.ts'
import { commands, writes, type Operation } from '../operation.ts'
import { createdBy } from '../participants.ts'
import { passedOn, type Deps } from '../upstream.ts'

const request = z.strictObject({ csr: z.string() })

export function credentialOperations(deps: Deps): readonly Operation[] {
  const secrets = '/participants/:name/client-secrets'
  return [
    commands('POST', secrets, ({ name }) => createSecret(deps, name)),
    commands('DELETE', secrets, ({ name }) => endSecrets(deps, name)),
    writes('POST', '/participants/:name/certificates', request, ({ name, body }) =>
      issueCertificate(deps, name, body.csr),
    ),
  ]
}

/** It is kept nowhere, so this answer is the only one that shows it. */
async function createSecret(deps: Deps, participant: string): Promise<Answer> {
  const { secret, refusal } = await deps.credentials.CreateClientSecret({ participant, createdBy })
  if (refusal) return passedOn(refusal)
  if (!secret) throw new Error('a secret was created without showing it')
  return answered(201, { clientId: secret.clientId, clientSecret: secret.clientSecret })
}

async function endSecrets(deps: Deps, name: string): Promise<Answer> {
  const { refusal } = await deps.credentials.EndClientSecrets({ name })
  return refusal ? passedOn(refusal) : answered(204)
}

async function issueCertificate(deps: Deps, participant: string, csr: string): Promise<Answer> {
  const { certificate, refusal } = await deps.credentials.IssueCertificate({ participant, csr })
  if (refusal) return passedOn(refusal)
  if (!certificate) throw new Error('a certificate was issued without showing it')
  return answered(201, {
    certificate: certificate.certificate,
    ca: certificate.ca,
    validTo: certificate.validTo,
  })
}
