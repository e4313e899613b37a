/** The public keys of FSPs. Keys are rotated by adding one: every valid key verifies. */
import { present, type ParticipantKey, type Refusal } from '@causeway/protos'
import { z } from 'zod'
import { answered, type OperationResult } from '../answer.ts'
import { keyId, time } from '../fields.ts'
import type { Json } from '../json.ts'
import { commands, reads, writes, type Operation } from '../operation.ts'
import { shownTime } from '../shapes.ts'
import { findParticipant, refusedUpstream, unknownParticipant, type Deps } from '../upstream.ts'

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

const refuses = ['PARTICIPANT_UNKNOWN', 'KEY_UNKNOWN'] as const

const shownKey = z
  .strictObject({
    kid: z.string(),
    use: z.enum(['sig', 'enc']),
    /** A JWK. */
    publicKey: z.looseObject({
      kty: z.string(),
      alg: z.string().optional(),
      crv: z.string().optional(),
    }),
    validFrom: shownTime,
    validTo: shownTime.nullable(),
    createdDate: shownTime,
    createdBy: z.string(),
  })
  .meta({ id: 'Key' })

export function keyOperations(deps: Deps): readonly Operation[] {
  const path = '/participants/:name/keys'
  return [
    reads(
      path,
      {
        about: "An FSP's public keys, past and future ones too, oldest first",
        answers: { 200: z.array(shownKey) },
        refuses: ['PARTICIPANT_UNKNOWN'],
      },
      ({ name }) => listKeys(deps, name),
    ),
    writes(
      'POST',
      path,
      addition,
      {
        about: 'Adds a key; every valid key verifies',
        answers: { 201: shownKey },
        refuses: ['PARTICIPANT_UNKNOWN', 'KEY_EXISTS'],
      },
      ({ name, body, actor }) => addKey(deps, name, body, actor),
    ),
    writes(
      'PUT',
      `${path}/:kid`,
      ending,
      { about: 'Sets the time at which a key ends', answers: { 200: shownKey }, refuses },
      ({ name, kid, body, actor }) => endKey(deps, name, kid, body.validTo, actor),
    ),
    commands(
      'DELETE',
      `${path}/:kid`,
      { about: 'Ends a key now; it stays in the list', answers: { 200: shownKey }, refuses },
      ({ name, kid, actor }) => endKey(deps, name, kid, undefined, actor),
    ),
  ]
}

/** Past and future keys too, oldest first. */
async function listKeys(deps: Deps, name: string): Promise<OperationResult> {
  if ((await findParticipant(deps, name)) === undefined) return unknownParticipant(name)
  const { participants } = await deps.keys.GetParticipantKeys({ names: [name] })
  return answered(200, (participants[0]?.keys ?? []).map(keyBody))
}

async function addKey(
  deps: Deps,
  participant: string,
  { use, publicKey, kid, validFrom, validTo }: z.infer<typeof addition>,
  actor: string,
): Promise<OperationResult> {
  return keyAnswer(
    await deps.keys.AddParticipantKey({
      participant,
      use,
      publicKey: typeof publicKey === 'string' ? publicKey : JSON.stringify(publicKey),
      createdBy: actor,
      ...present({ kid, validFrom, validTo }),
    }),
    201,
  )
}

/** Without a time the key ends now. It stays in the list, for messages that it has verified. */
async function endKey(
  deps: Deps,
  participant: string,
  kid: string,
  validTo: string | undefined,
  actor: string,
): Promise<OperationResult> {
  if ((await findParticipant(deps, participant)) === undefined) {
    return unknownParticipant(participant)
  }
  const end = { participant, kid, actor, ...present({ validTo }) }
  return keyAnswer(await deps.keys.EndParticipantKey(end), 200)
}

function keyAnswer(
  { key, refusal }: { readonly key?: ParticipantKey | null; readonly refusal?: Refusal | null },
  status: 200 | 201,
): OperationResult {
  if (refusal) return refusedUpstream(refusal)
  if (!key) throw new Error('a key was changed, but not returned')
  return answered(status, keyBody(key))
}

function keyBody(key: ParticipantKey) {
  return {
    kid: key.kid,
    use: key.use,
    publicKey: JSON.parse(key.jwk) as Json,
    validFrom: key.validFrom,
    validTo: key.validTo ?? null,
    createdDate: key.createdAt,
    createdBy: key.createdBy,
  } satisfies Json
}
