/**
 * The public keys of components. Services of the hub register their own when they start; a program of
 * the operator registers one here, under the name with which it logs in.
 */
import type { ComponentKeyRecord, Refusal } from '@causeway/protos'
import { z } from 'zod'
import { answered, type OperationResult } from '../answer.ts'
import { word } from '../fields.ts'
import { commands, reads, writes, type Operation } from '../operation.ts'
import { shownTime } from '../shapes.ts'
import { refusedUpstream, type Deps } from '../upstream.ts'

const registration = z.strictObject({
  /** The name of the program that registers its key. */
  boundedContextId: word.max(64),
  /** PEM of an EC key on P-256. */
  publicKey: z.string().min(1).max(2_000),
})

const shownKey = z
  .strictObject({
    /** The thumbprint of the key (RFC 7638). */
    kid: z.string(),
    boundedContextId: z.string(),
    publicKey: z.string(),
    registeredDate: shownTime,
    revokedDate: shownTime.nullable(),
    revokedBy: z.string().nullable(),
  })
  .meta({ id: 'ComponentKey' })

/** A program with a key can sign in its own name. */
export function componentKeyRegistration(deps: Deps): readonly Operation[] {
  return [
    writes(
      'POST',
      '/component-keys',
      registration,
      {
        about:
          'Registers a public key of the component that calls; the same one again is no change',
        answers: { 200: shownKey },
        refuses: ['NOT_OWNER', 'KEY_EXISTS', 'KEY_REVOKED'],
      },
      async ({ body, actor }) =>
        keyAnswer(await deps.componentKeys.RegisterComponentKey({ ...body, actor })),
    ),
  ]
}

export function componentKeyOperations(deps: Deps): readonly Operation[] {
  return [
    reads(
      '/component-keys',
      {
        about: 'The keys of all components, those in force before revoked ones, at most 10,000',
        answers: { 200: z.array(shownKey) },
      },
      async () => {
        const { keys } = await deps.componentKeys.GetComponentKeys({})
        return answered(200, keys.map(keyBody))
      },
    ),
    commands(
      'DELETE',
      '/component-keys/:kid',
      {
        about: 'Revokes a key of a component; it stays in the list and is never registered again',
        answers: { 200: shownKey },
        refuses: ['KEY_UNKNOWN'],
      },
      async ({ kid: keyId, actor }) =>
        keyAnswer(await deps.componentKeys.RevokeComponentKey({ keyId, actor })),
    ),
  ]
}

function keyAnswer({
  key,
  refusal,
}: {
  readonly key?: ComponentKeyRecord | null
  readonly refusal?: Refusal | null
}): OperationResult {
  if (refusal) return refusedUpstream(refusal)
  if (!key) throw new Error('a component key was changed, but not returned')
  return answered(200, keyBody(key))
}

function keyBody(key: ComponentKeyRecord) {
  return {
    kid: key.keyId,
    boundedContextId: key.boundedContextId,
    publicKey: key.publicKey,
    registeredDate: key.registeredAt,
    revokedDate: key.revokedAt ?? null,
    revokedBy: key.revokedBy ?? null,
  }
}
