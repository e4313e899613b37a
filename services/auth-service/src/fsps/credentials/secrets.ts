/**
 * Client secrets of FSPs for OAuth 2: the client is the FSP, which may have several secrets during
 * rotation.
 */
import type { EventBus } from '@causeway/bus'
import type { Database } from '@causeway/postgres'
import { announceChange } from '../announce.ts'
import { refuse, unknownParticipant, type RefusedCommand } from '../../domain/refusal.ts'
import type { FindFsp } from '../find-fsp.ts'
import { record } from '../../record.ts'
import { lockNamed } from '../../lock.ts'
import { endSecrets, insertSecret, openSecrets } from './store.ts'
import { newSecret } from './tokens.ts'

export interface SecretParts {
  readonly db: Database
  readonly bus: EventBus
  readonly findFsp: FindFsp
}

const secrets_max = 10

export async function createSecret(
  { db, bus, findFsp }: SecretParts,
  participant: string,
  createdBy: string,
): Promise<RefusedCommand | { readonly type: 'MADE'; readonly secret: string }> {
  if ((await findFsp(participant)) === undefined) return unknownParticipant(participant)
  return db.transaction(async (tx) => {
    await lockNamed(tx, `fsp ${participant}`)
    const open = await openSecrets(tx, participant)
    if (open >= secrets_max) {
      return refuse('INVALID', `${participant} has ${secrets_max} secrets: end them first`)
    }
    const createdAt = new Date()
    const { secret, hash } = newSecret()
    await insertSecret(tx, { hash, participant, createdAt, createdBy })
    announceChange(bus, tx, participant, createdAt)
    record(bus, tx, {
      actor: createdBy,
      action: 'CreateClientSecret',
      subject: subjectOf(participant),
      before: { clientSecrets: open },
      after: { clientSecrets: open + 1 },
      at: createdAt,
    })
    return { type: 'MADE', secret }
  })
}

/** Ends all secrets at once; no secret to end is no change. */
export async function endAllSecrets(
  { db, bus, findFsp }: SecretParts,
  participant: string,
  actor: string,
): Promise<RefusedCommand | undefined> {
  if ((await findFsp(participant)) === undefined) return unknownParticipant(participant)
  await endSecretsOf({ db, bus }, participant, actor)
  return undefined
}

export async function endSecretsOf(
  { db, bus }: Pick<SecretParts, 'db' | 'bus'>,
  participant: string,
  actor: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockNamed(tx, `fsp ${participant}`)
    const now = new Date()
    const ended = await endSecrets(tx, participant, now)
    if (ended === 0) return
    announceChange(bus, tx, participant, now)
    record(bus, tx, {
      actor,
      action: 'EndClientSecrets',
      subject: subjectOf(participant),
      before: { clientSecrets: ended },
      after: { clientSecrets: 0 },
      at: now,
    })
  })
}

function subjectOf(participant: string): string {
  return `participants/${participant}/client-secrets`
}
