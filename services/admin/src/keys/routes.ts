/** The public keys of FSPs. Adding one is how keys are rotated: each that is valid verifies. */
import type { ParticipantKey, Refusal } from '@causeway/protos'
import { z } from 'zod'
import { answered, type Answer } from '../answer.ts'
import { keyId, time } from '../fields.ts'
import type { Json } from '../json.ts'
import { commands, reads, writes, type Operation } from '../operation.ts'
import { createdBy } from '../participants.ts'
import { findParticipant, passedOn, unknownParticipant, type Deps } from '../upstream.ts'

/** A key is PEM, or a JWK as text or as it is. */
const addition = z.strictObject({
  kid: keyId.optional(),
  use: z.enum(['sig', 'enc']),
  publicKey: z.union([z.string().min(1), z.looseObject({})], {
    error: 'must be PEM or a JWK',
  }),
  validFrom: time.optional(),
  validTo: time.optional(),
})

const ending = z.strictObject({ validTo: time })

export function keyOperations(deps: Deps): readonly Operation[] {
  const path = '/participants/:name/keys'
  return [
    reads(path, ({ name }) => listKeys(deps, name)),
    writes('POST', path, addition, ({ name, body }) => addKey(deps, name, body)),
    writes('PUT', `${path}/:kid`, ending, ({ name, kid, body }) =>
      endKey(deps, name, kid, body.validTo),
    ),
    commands('DELETE', `${path}/:kid`, ({ name, kid }) => endKey(deps, name, kid, '')),
  ]
}

/** Past and future ones too, the oldest first. */
async function listKeys(deps: Deps, name: string): Promise<Answer> {
  if ((await findParticipant(deps, name)) === undefined) return unknownParticipant(name)
  const { participants } = await deps.keys.GetParticipantKeys({ names: [name] })
  return answered(200, (participants[0]?.keys ?? []).map(keyBody))
}

async function addKey(
  deps: Deps,
  participant: string,
  { kid = '', use, publicKey, validFrom = '', validTo = '' }: z.infer<typeof addition>,
): Promise<Answer> {
  return keyAnswer(
    await deps.keys.AddParticipantKey({
      participant,
      kid,
      use,
      publicKey: typeof publicKey === 'string' ? publicKey : JSON.stringify(publicKey),
      validFrom,
      validTo,
      createdBy,
    }),
    201,
  )
}

/** Without a time it ends now. It stays in the list: what it has verified was verified. */
async function endKey(
  deps: Deps,
  participant: string,
  kid: string,
  validTo: string,
): Promise<Answer> {
  if ((await findParticipant(deps, participant)) === undefined) {
    return unknownParticipant(participant)
  }
  return keyAnswer(await deps.keys.EndParticipantKey({ participant, kid, validTo }), 200)
}

function keyAnswer(
  { key, refusal }: { readonly key?: ParticipantKey | null; readonly refusal?: Refusal | null },
  status: 200 | 201,
): Answer {
  if (refusal) return passedOn(refusal)
  if (!key) throw new Error('a key was changed without saying to what')
  return answered(status, keyBody(key))
}

function keyBody(key: ParticipantKey) {
  return {
    kid: key.kid,
    use: key.use,
    publicKey: JSON.parse(key.jwk) as Json,
    validFrom: key.validFrom,
    validTo: key.validTo === '' ? null : key.validTo,
    createdDate: key.createdAt,
    createdBy: key.createdBy,
  } satisfies Json
}
