/**
 * Secrets of a component that a second person approves: all of them change or none. The values and the
 * event are one transaction; the values themselves are in no event, list or audit entry.
 */
import type { ChangeKind } from '@causeway/approvals'
import type { EventBus } from '@causeway/bus'
import { newEvent } from '@causeway/events'
import { approvalKinds } from '@causeway/services'
import { refuse, type RefusedConfiguration } from '../domain/refusal.ts'
import { secretsContent, type SecretsContent } from './contract.ts'
import { checkSecrets, type NewSecret, type SecretSet } from './domain/secrets.ts'
import type { Sealing } from './sealing.ts'
import { deleteSecrets, lockSecretSet, saveSecrets, saveSecretSet } from './store.ts'

export function secretValuesKind(bus: EventBus, sealing: Sealing): ChangeKind<SecretsContent> {
  return {
    actions: { request: 'ChangeSecretValues', decide: 'ApproveSecretValues' },
    content: secretsContent,
    privilegeOf: () => approvalKinds.SecretValues.privilege,
    subjectOf: ({ boundedContextId }) => `secrets/${boundedContextId}`,
    auditedOf: namesOf,
    turnOf: ({ boundedContextId }) => `secrets/${boundedContextId}`,
    async apply(tx, content, { createdBy: by, now: at }) {
      const { boundedContextId: contextId } = content
      const set = await lockSecretSet(tx, contextId)
      if (set === undefined) return unknownSecrets(contextId)
      const checked = checkSecrets(set, newValuesOf(content))
      if (checked.type === 'REFUSE') return checked
      const removed: string[] = []
      const values: { readonly name: string; readonly sealed: Buffer }[] = []
      for (const { name, value } of checked.newValues) {
        if (value === null) removed.push(name)
        else values.push({ name, sealed: sealing.sealValue(contextId, name, value) })
      }
      const iterationNumber = set.iterationNumber + 1
      if (values.length > 0) await saveSecrets(tx, contextId, values, { at, by })
      if (removed.length > 0) await deleteSecrets(tx, contextId, removed)
      await saveSecretSet(tx, { ...set, iterationNumber })
      const names = checked.newValues.map(({ name }) => name)
      bus.announce(tx, [secretsChanged({ contextId, iterationNumber }, names)])
      const after = { set: values.map(({ name }) => name), removed }
      return { type: 'DONE', before: null, after, replaces: null }
    },
    sealing: {
      shown: ({ boundedContextId, ...content }) => ({ boundedContextId, ...namesOf(content) }),
      seal: (requestId, content) => sealing.sealRequest(requestId, newValuesOf(content)),
      open: (requestId, shown, sealed) => ({
        ...shown,
        newValues: sealing.openRequest(requestId, sealed),
      }),
    },
  }
}

function namesOf({ set, removed }: Pick<SecretsContent, 'set' | 'removed'>) {
  return { set, removed }
}

function newValuesOf({ boundedContextId, newValues }: SecretsContent): readonly NewSecret[] {
  if (newValues === undefined) throw new Error(`a request for ${boundedContextId} has no values`)
  return newValues
}

/** The event that makes the component read its secrets again. */
export function secretsChanged(
  { contextId, iterationNumber }: Pick<SecretSet, 'contextId' | 'iterationNumber'>,
  changedKeys: readonly string[],
) {
  return newEvent('config', 'SecretsValuesChanged', {
    boundedContextId: contextId,
    version: iterationNumber,
    changedKeys: [...changedKeys],
  })
}

export function unknownSecrets(contextId: string): RefusedConfiguration {
  return refuse('CONTEXT_UNKNOWN', `${contextId} has registered no secrets`)
}
