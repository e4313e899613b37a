/** Serves the keys of components over gRPC: a change is stored and announced in one transaction. */
import { refusalMessage } from '@causeway/services'
import type { EventBus } from '@causeway/bus'
import {
  keyIdOf,
  publicComponentKey,
  signedEntries,
  type ComponentKey,
} from '@causeway/keys/components'
import { newEvent } from '@causeway/events'
import type { Handlers } from '@causeway/grpc'
import type { Database, Transaction } from '@causeway/postgres'
import { type Logger, recordedActor } from '@causeway/process'
import type { ComponentKeyRecord, componentKeysService } from '@causeway/protos'
import { isRefused, timeMessage } from '../../contract.ts'
import { refuse, type RefusedCommand } from '../../domain/refusal.ts'
import { lockNamed } from '../../lock.ts'
import { record } from '../../record.ts'
import {
  ownerFault,
  registerKey,
  type NewComponentKey,
  type RegisteredKey,
} from './domain/component-key.ts'
import {
  allComponentKeys,
  insertComponentKey,
  keysInForce,
  lockComponentKey,
  saveRevocation,
} from './store.ts'

interface ComponentKeyParts {
  readonly db: Database
  readonly bus: EventBus
}

type ComponentKeyOutcome = RefusedCommand | { readonly type: 'DONE'; readonly key: RegisteredKey }

const keys_max = 10_000

export function serveComponentKeys(
  parts: ComponentKeyParts,
): Handlers<typeof componentKeysService> {
  return {
    async RegisterComponentKey(
      { boundedContextId: contextId, publicKey, actor = '' },
      { callers },
    ) {
      const fault = ownerFault(contextId, actor, callers)
      if (fault !== undefined) return answer(fault)
      const key = newKeyOf(contextId, publicKey)
      return answer(isRefused(key) ? key : await registerComponentKey(parts, key))
    },
    async GetComponentKeys() {
      return { keys: (await allComponentKeys(parts.db, keys_max)).map(keyMessage) }
    },
    async RevokeComponentKey({ keyId, actor }) {
      return answer(await revokeComponentKey(parts, keyId, actor))
    },
  }
}

/**
 * auth-service cannot call itself: its own key is registered when it starts. From then on it signs,
 * unless an operator has revoked it.
 */
export async function registerOwnKey(
  { db, bus }: ComponentKeyParts,
  key: ComponentKey | undefined,
  log: Logger,
): Promise<ComponentKey | undefined> {
  if (key === undefined) return undefined
  const { id, publicKey } = key
  const wanted = { id, contextId: 'auth-service', publicKey }
  const outcome = await registerComponentKey({ db, bus: signedEntries(bus, { key }) }, wanted)
  if (outcome.type !== 'REFUSE') return key
  log.error({ reason: outcome.reason }, `ALARM the component key is refused: ${outcome.detail}`)
  return undefined
}

function newKeyOf(contextId: string, pem: string): NewComponentKey | RefusedCommand {
  const key = publicComponentKey(pem)
  if (key === undefined) {
    return refuse('INVALID', 'publicKey must be the PEM of a public EC key on P-256')
  }
  const publicKey = key.export({ type: 'spki', format: 'pem' }).toString()
  return { id: keyIdOf(key), contextId, publicKey }
}

function registerComponentKey(
  { db, bus }: ComponentKeyParts,
  wanted: NewComponentKey,
): Promise<ComponentKeyOutcome> {
  return db.transaction(async (tx): Promise<ComponentKeyOutcome> => {
    // The key has no row to lock yet.
    await lockNamed(tx, 'component-keys')
    const now = new Date()
    const known = await lockComponentKey(tx, wanted.id)
    const inForce = await keysInForce(tx, wanted.contextId)
    const registered = registerKey(known, inForce, wanted, now)
    if (registered.type === 'REFUSE') return registered
    const { key } = registered
    if (registered.type === 'ADD') {
      await insertComponentKey(tx, key)
      recordAndAnnounce(bus, tx, {
        actor: key.contextId,
        action: 'RegisterComponentKey',
        key,
        before: undefined,
        at: now,
      })
    }
    return { type: 'DONE', key }
  })
}

function revokeComponentKey(
  { db, bus }: ComponentKeyParts,
  keyId: string,
  by: string,
): Promise<ComponentKeyOutcome> {
  return db.transaction(async (tx): Promise<ComponentKeyOutcome> => {
    const before = await lockComponentKey(tx, keyId)
    if (before === undefined) return refuse('KEY_UNKNOWN', `no component has the key ${keyId}`)
    if (before.revoked !== null) return { type: 'DONE', key: before }
    const at = new Date()
    const revoked = { at, by: recordedActor(by) }
    const key: RegisteredKey = { ...before, revoked }
    await saveRevocation(tx, keyId, revoked)
    recordAndAnnounce(bus, tx, { actor: by, action: 'RevokeComponentKey', key, before, at })
    return { type: 'DONE', key }
  })
}

interface KeyChange {
  readonly actor: string
  readonly action: string
  readonly key: RegisteredKey
  readonly before: RegisteredKey | undefined
  readonly at: Date
}

function recordAndAnnounce(
  bus: EventBus,
  tx: Transaction,
  { actor, action, key, before, at }: KeyChange,
): void {
  const { id: keyId, contextId: boundedContextId } = key
  record(bus, tx, {
    actor,
    action,
    subject: `component-keys/${keyId}`,
    before: before === undefined ? null : stateOf(before),
    after: stateOf(key),
    at,
  })
  const payload = { boundedContextId, keyId, changedAt: at.toISOString() }
  bus.announce(tx, [newEvent('auth-service', 'ComponentKeysChanged', payload)])
}

function stateOf({ contextId, revoked }: RegisteredKey) {
  return { boundedContextId: contextId, revokedAt: revoked?.at.toISOString() ?? '' }
}

function keyMessage(key: RegisteredKey): ComponentKeyRecord {
  return {
    keyId: key.id,
    boundedContextId: key.contextId,
    publicKey: key.publicKey,
    registeredAt: timeMessage(key.registeredAt),
    ...(key.revoked === null
      ? {}
      : { revokedAt: timeMessage(key.revoked.at), revokedBy: key.revoked.by }),
  }
}

function answer(outcome: ComponentKeyOutcome) {
  return outcome.type === 'REFUSE'
    ? { refusal: refusalMessage(outcome) }
    : { key: keyMessage(outcome.key) }
}
