/** The gRPC methods of secrets. */
import type { EventBus } from '@causeway/bus'
import { auditEntry } from '@causeway/events'
import { isCorrelationId } from '@causeway/fspiop'
import type { Handlers } from '@causeway/grpc'
import type {
  secretChangesService,
  SecretSet as SetMessage,
  secretsService,
} from '@causeway/protos'
import { isRefused } from '../contract.ts'
import { refuse, type Refused } from '../domain/refused.ts'
import { badNewId, decisionFault, nameOf, ownerFault, refusalMessage } from '../serve.ts'
import { lockContext, readClock } from '../store.ts'
import {
  decideSecrets,
  requestSecrets,
  unknownSecrets,
  type SecretParts,
  type SecretRequestOutcome,
} from './changes.ts'
import {
  readNewSecrets,
  readSecretSet,
  secretRequestMessage,
  secretSetMessage,
} from './contract.ts'
import { registerSecrets, type SecretsRegistered } from './domain/secrets.ts'
import { readSecrets, type ReadParts } from './read.ts'
import {
  deleteSecrets,
  lockSecretSet,
  saveSecretSet,
  secretRequests,
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

export function secretChangeHandlers(parts: SecretParts): Handlers<typeof secretChangesService> {
  return {
    async RequestSecretChange({ requestId: id, boundedContextId: contextId, newValues, actor }) {
      if (!isCorrelationId(id)) return requestAnswer(badNewId)
      const read = readNewSecrets(newValues)
      if (isRefused(read)) return requestAnswer(read)
      const asked = { id, contextId, newValues: read, createdBy: nameOf(actor) }
      return requestAnswer(await requestSecrets(parts, asked))
    },
    async DecideSecretChange({ requestId: id, type, decision, note, actor }) {
      const fault = decisionFault({ requestId: id, decision, note })
      if (fault !== undefined) return requestAnswer(fault)
      if (type !== 'SecretValues') {
        return requestAnswer(refuse('REQUEST_UNKNOWN', `there is no ${type} request ${id}`))
      }
      const verdict = decision === 'APPROVE' ? decision : 'REJECT'
      const by = nameOf(actor)
      return requestAnswer(await decideSecrets(parts, { id, decision: verdict, note, by }))
    },
    async ListSecretChanges({ state = '' }) {
      const found = await secretRequests(parts.db, state, listed_max)
      return { requests: found.map(secretRequestMessage) }
    },
  }
}

function register(
  { db, bus }: Pick<SecretParts, 'db'> & { readonly bus: EventBus },
  message: SetMessage,
): Promise<SecretsRegistered> {
  const wanted = readSecretSet(message)
  if (isRefused(wanted)) return Promise.resolve(wanted)
  const { contextId } = wanted
  return db.transaction(async (tx): Promise<SecretsRegistered> => {
    await lockContext(tx, contextId)
    const stored = await lockSecretSet(tx, contextId)
    const registered = registerSecrets(stored, wanted)
    if (registered.type !== 'STORE') return registered
    const { set, dropped } = registered
    await saveSecretSet(tx, set)
    if (dropped.length > 0) await deleteSecrets(tx, contextId, dropped)
    const stateOf = ({ version, keys }: typeof wanted) => ({
      version,
      names: keys.map(({ name }) => name),
    })
    bus.announce(tx, [
      auditEntry('config', {
        actor: message.actor ?? contextId,
        action: 'RegisterSecrets',
        subject: `secrets/${contextId}`,
        before: stored === undefined ? null : stateOf(stored),
        after: stateOf(set),
        at: await readClock(tx),
      }),
    ])
    return registered
  })
}

function requestAnswer(outcome: SecretRequestOutcome | Refused) {
  return outcome.type === 'REFUSE'
    ? { refusal: refusalMessage(outcome) }
    : { request: secretRequestMessage(outcome.request) }
}
