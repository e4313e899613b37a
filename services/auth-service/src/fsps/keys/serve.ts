/** Serves keys of FSPs over gRPC: a change is stored and announced in one transaction. */
import { refusalMessage } from '@causeway/services'
import type { EventBus } from '@causeway/bus'
import { isKid } from '@causeway/fspiop'
import type { Handlers } from '@causeway/grpc'
import type { Database, Transaction } from '@causeway/postgres'
import type { keysService } from '@causeway/protos'
import { announceChange } from '../announce.ts'
import { isRefused, timeMessage, timeOf } from '../../contract.ts'
import { refuse, unknownParticipant, type RefusedCommand } from '../../domain/refusal.ts'
import { isName, type FindFsp } from '../find-fsp.ts'
import { record } from '../../record.ts'
import { lockNamed } from '../../lock.ts'
import { keyMessage, newKeyOf } from './contract.ts'
import { add, end, type Key, type NewKey } from './domain/key.ts'
import { insert, keysOf, saveEnd } from './store.ts'

export interface KeyParts {
  readonly db: Database
  readonly bus: EventBus
  readonly findFsp: FindFsp
}

type KeyOutcome = RefusedCommand | { readonly type: 'DONE'; readonly key: Key }

export function serveKeys(parts: KeyParts): Handlers<typeof keysService> {
  return {
    async AddParticipantKey({ participant, ...words }) {
      const key = await newKeyOf(words, new Date())
      if (isRefused(key)) return answer(key)
      const fsp = await parts.findFsp(participant)
      return answer(
        fsp === undefined ? unknownParticipant(participant) : await addKey(parts, participant, key),
      )
    },
    async GetParticipantKeys({ names }) {
      const found = await keysOf(parts.db, names.filter(isName))
      const participants = [...found].map(([participant, keys]) => ({
        participant,
        keys: keys.map(keyMessage),
      }))
      return { participants }
    },
    async EndParticipantKey({ participant, kid, validTo, actor }) {
      const now = new Date()
      const at = timeOf('validTo', validTo, now)
      if (isRefused(at)) return answer(at)
      if (!isName(participant) || !isKid(kid)) return answer(unknownKey(participant, kid))
      return answer(await endKey(parts, { participant, kid, actor }, at))
    },
  }
}

function addKey({ db, bus }: KeyParts, participant: string, wanted: NewKey): Promise<KeyOutcome> {
  return db.transaction(async (tx) => {
    const known = await lockKeys(tx, participant)
    const now = new Date()
    const decision = add(known, wanted, now)
    if (decision.type === 'REFUSE') return decision
    if (decision.type === 'ADD') {
      await insert(tx, participant, decision.key)
      record(bus, tx, {
        actor: wanted.createdBy,
        action: 'AddParticipantKey',
        subject: subjectOf(participant, decision.key.kid),
        before: null,
        after: recordOf(decision.key),
        at: now,
      })
      announceChange(bus, tx, participant, now)
    }
    return { type: 'DONE', key: decision.key }
  })
}

function endKey(
  { db, bus }: KeyParts,
  { participant, kid, actor }: Readonly<Record<'participant' | 'kid' | 'actor', string>>,
  validTo: Date,
): Promise<KeyOutcome> {
  return db.transaction(async (tx) => {
    const known = await lockKeys(tx, participant)
    const key = known.find((one) => one.kid === kid)
    if (key === undefined) return unknownKey(participant, kid)
    return endOne({ bus, tx }, { participant, actor }, key, validTo)
  })
}

/** Ends all keys of the FSP now. */
export async function endKeysOf(
  { db, bus }: Pick<KeyParts, 'db' | 'bus'>,
  participant: string,
  actor: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const now = new Date()
    for (const key of await lockKeys(tx, participant)) {
      await endOne({ bus, tx }, { participant, actor }, key, now)
    }
  })
}

async function endOne(
  { bus, tx }: { readonly bus: EventBus; readonly tx: Transaction },
  { participant, actor }: Readonly<Record<'participant' | 'actor', string>>,
  key: Key,
  validTo: Date,
): Promise<KeyOutcome> {
  const now = new Date()
  const decision = end(key, validTo, now)
  if (decision.type === 'REFUSE') return decision
  if (decision.type === 'END') {
    await saveEnd(tx, participant, decision.key)
    record(bus, tx, {
      actor,
      action: 'EndParticipantKey',
      subject: subjectOf(participant, key.kid),
      before: recordOf(key),
      after: recordOf(decision.key),
      at: now,
    })
    announceChange(bus, tx, participant, now)
  }
  return { type: 'DONE', key: decision.key }
}

async function lockKeys(tx: Transaction, participant: string): Promise<readonly Key[]> {
  await lockNamed(tx, `fsp ${participant}`)
  return (await keysOf(tx, [participant])).get(participant) ?? []
}

function subjectOf(participant: string, kid: string): string {
  return `participants/${participant}/keys/${kid}`
}

function recordOf({ use, thumbprint, validFrom, validTo }: Key) {
  return {
    use,
    thumbprint,
    validFrom: timeMessage(validFrom),
    validTo: validTo?.toISOString() ?? '',
  }
}

function unknownKey(participant: string, kid: string): RefusedCommand {
  return refuse('KEY_UNKNOWN', `${participant} has no key ${kid}`)
}

function answer(outcome: KeyOutcome) {
  return outcome.type === 'REFUSE'
    ? { refusal: refusalMessage(outcome) }
    : { key: keyMessage(outcome.key) }
}
