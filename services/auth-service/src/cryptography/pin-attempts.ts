/**
 * Translation of PINs for callers: one attempt with a key at a time, so that refused blocks are counted
 * before the next one is tried; what is counted, audited and answered is one transaction.
 */
import { createHash } from 'node:crypto'
import { isRefused } from '@causeway/services'
import { refuse, type RefusedCommand } from '../domain/refusal.ts'
import { lockNamed } from '../lock.ts'
import { record } from '../record.ts'
import { locks, pinAttemptFault, type PinAttempt } from './domain/pin-attempt.ts'
import { needsPan, panFieldOf } from './domain/pin-block.ts'
import { translatePin, type Translation } from './operations.ts'
import {
  addRefusal,
  forgetRefusals,
  knownBlock,
  refusalsOf,
  saveAttempt,
} from './pin-attempt-store.ts'
import { keyOf } from './store.ts'
import { faultOf, recordUse, type UseParts } from './uses.ts'

export interface PinAttemptParts extends UseParts {
  readonly refusals_max: number
  /** How long refused blocks count, which is also how long a lock lasts. */
  readonly lock_ms: number
}

export async function tryTranslation(
  parts: PinAttemptParts,
  translation: Translation,
  caller: string,
): Promise<Buffer | RefusedCommand> {
  const { db, log, measures, refusals_max, lock_ms } = parts
  const { sourceKeyId: keyId, targetKeyId, from, to } = translation
  return db.transaction(async (tx) => {
    await lockNamed(tx, `pin-attempts ${keyId}`)
    const now = new Date()
    const countedFrom = new Date(now.getTime() - lock_ms)
    const attempt = attemptOf(translation)
    const refusals = await refusalsOf(tx, keyId, caller, countedFrom)
    const known = attempt && (await knownBlock(tx, attempt))
    const fault = pinAttemptFault(refusals, known, attempt, refusals_max)
    const result = fault ?? (await translatePin({ ...parts, db: tx }, translation))
    const wasRefused = isRefused(result) && result.reason === 'PIN_BLOCK_INVALID'
    if (attempt !== undefined && (wasRefused || !isRefused(result))) {
      await saveAttempt(tx, attempt, wasRefused, now)
    }
    if (wasRefused) {
      await addRefusal(tx, keyId, caller, { now, from: countedFrom })
      if (locks(refusals, refusals_max)) {
        measures.pinLock()
        log.error({ keyId, caller }, 'too many PIN blocks were refused: no more are translated')
      }
    }
    recordUse(parts, tx, {
      action: 'TranslatePin',
      keyId,
      actor: caller,
      details: { targetKeyId, from, to },
      fault: faultOf(result),
      at: now,
    })
    return result
  })
}

/** Undefined for a format without an account number. */
function attemptOf({ sourceKeyId, block, from, pan }: Translation): PinAttempt | undefined {
  if (!needsPan(from)) return undefined
  const hashOf = (...parts: readonly (string | Buffer)[]) => {
    const hash = createHash('sha256')
    for (const part of parts) hash.update(part)
    return hash.digest()
  }
  return {
    blockHash: hashOf('block', sourceKeyId, block),
    accountHash: hashOf('account', sourceKeyId, block, panFieldOf(from, pan)),
  }
}

/** Its refused blocks do not count any more. */
export async function unlockTranslation(
  { db, bus }: Pick<PinAttemptParts, 'db' | 'bus'>,
  keyId: string,
  actor: string,
): Promise<RefusedCommand | undefined> {
  return db.transaction(async (tx) => {
    if ((await keyOf(tx, keyId)) === undefined) return refuse('KEY_UNKNOWN', `key ${keyId}`)
    await lockNamed(tx, `pin-attempts ${keyId}`)
    if (!(await forgetRefusals(tx, keyId))) return undefined
    const subject = `keys/${keyId}`
    const action = 'UnlockPinTranslation'
    record(bus, tx, { actor, action, subject, before: null, after: null, at: new Date() })
    return undefined
  })
}
