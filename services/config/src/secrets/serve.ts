/** The gRPC methods of secrets. */
import { isRefused, refusalMessage } from '@causeway/services'
import { readClock } from '@causeway/postgres'
import { auditEntry } from '@causeway/events'
import type { Handlers } from '@causeway/grpc'
import type { SecretSet as SetMessage, secretsService } from '@causeway/protos'
import { ownerFault, type ConfigParts } from '../serve.ts'
import { lockContext } from '../store.ts'
import { secretsChanged, unknownSecrets } from './approval.ts'
import { readSecretSet, secretSetMessage } from './contract.ts'
import { registerSecrets, type SecretsRegistered } from './domain/secrets.ts'
import { readSecrets, type ReadParts } from './read.ts'
import {
  deleteSecrets,
  lockSecretSet,
  saveSecretSet,
  secretSetOf,
  secretSets,
  storedSecrets,
} from './store.ts'

const listed_max = 1_000

export function secretHandlers(parts: ReadParts): Handlers<typeof secretsService> {
  const { db } = parts
  return {
    async RegisterSecrets(message, call) {
      const fault = ownerFault(message.boundedContextId, call)
      const registered = fault ?? (await register(parts, message))
      if (registered.type === 'REFUSE') return { refusal: refusalMessage(registered) }
      const { set } = registered
      return { secrets: secretSetMessage(set, await storedSecrets(db, [set.contextId])) }
    },
    async ListSecrets() {
      const sets = await secretSets(db, listed_max)
      const stored = await storedSecrets(
        db,
        sets.map(({ contextId }) => contextId),
      )
      return { secrets: sets.map((set) => secretSetMessage(set, stored)) }
    },
    async GetSecrets({ boundedContextId: contextId }) {
      const set = await secretSetOf(db, contextId)
      if (set === undefined) return { refusal: refusalMessage(unknownSecrets(contextId)) }
      return { secrets: secretSetMessage(set, await storedSecrets(db, [contextId])) }
    },
    async ReadSecretValues({ boundedContextId, ...signed }) {
      const read = await readSecrets(parts, boundedContextId, signed)
      if (read.type === 'REFUSE') return { refusal: refusalMessage(read) }
      const { version, iterationNumber } = read.set
      const secrets = read.values.map((each) => ({ ...each }))
      return { values: { version, iterationNumber, secrets } }
    },
  }
}

function register({ db, bus }: ConfigParts, message: SetMessage): Promise<SecretsRegistered> {
  const wanted = readSecretSet(message)
  if (isRefused(wanted)) return Promise.resolve(wanted)
  const { contextId } = wanted
  return db.transaction(async (tx): Promise<SecretsRegistered> => {
    await lockContext(tx, contextId)
    const stored = await lockSecretSet(tx, contextId)
    const registered = registerSecrets(stored, wanted)
    if (registered.type !== 'STORE') return registered
    const names = registered.dropped
    const dropped = names.length === 0 ? [] : await deleteSecrets(tx, contextId, names)
    const iterationNumber = registered.set.iterationNumber + (dropped.length === 0 ? 0 : 1)
    const set = { ...registered.set, iterationNumber }
    await saveSecretSet(tx, set)
    const stateOf = ({ version, keys }: typeof wanted) => ({
      version,
      names: keys.map(({ name }) => name),
    })
    bus.announce(tx, [
      auditEntry('config', {
        actor: message.actor ?? contextId,
        action: 'RegisterSecrets',
        subject: `secrets/${contextId}`,
        before:
          stored === undefined
            ? null
            : { ...stateOf(stored), ...(dropped.length === 0 ? {} : { droppedValues: dropped }) },
        after: stateOf(set),
        at: await readClock(tx),
      }),
      ...(dropped.length === 0 ? [] : [secretsChanged(set, dropped)]),
    ])
    return { ...registered, set }
  })
}
