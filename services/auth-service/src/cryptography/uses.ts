/**
 * Uses of keys for callers: each is audited with who, which key and the outcome, never with the data, and
 * a caller makes a bounded number of them in a minute.
 */
import type { EventBus } from '@causeway/bus'
import type { Database, Transaction } from '@causeway/postgres'
import type { Logger } from '@causeway/process'
import { isRefused } from '@causeway/services'
import { refuse, type RefusedCommand } from '../domain/refusal.ts'
import type { AuthMeasures } from '../measures.ts'
import { record } from '../record.ts'
import type { Adapters } from './adapters.ts'

export interface UseParts {
  readonly db: Database
  readonly bus: EventBus
  readonly providers: Adapters
  readonly measures: Pick<AuthMeasures, 'pinLock'>
  readonly log: Logger
}

export interface KeyUse {
  /** In the audit log. */
  readonly action: 'GenerateSignature' | 'Decrypt' | 'TranslatePin'
  readonly keyId: string
  readonly actor: string
  readonly details: Readonly<Record<string, string | number>>
}

/** The result is given only when the entry is stored. */
export async function audited<Result>(
  parts: UseParts,
  use: KeyUse,
  work: () => Promise<Result | RefusedCommand>,
): Promise<Result | RefusedCommand> {
  const result = await work()
  await parts.db.transaction((tx) => {
    recordUse(parts, tx, { ...use, fault: faultOf(result), at: new Date() })
    return Promise.resolve()
  })
  return result
}

/** For an entry: the reason, or undefined for a use that was not refused. */
export function faultOf(result: unknown): string | undefined {
  return isRefused(result) ? (result as RefusedCommand).reason : undefined
}

export function recordUse(
  { bus }: Pick<UseParts, 'bus'>,
  tx: Transaction,
  use: KeyUse & { readonly fault: string | undefined; readonly at: Date },
): void {
  const { action, keyId, actor, details, fault, at } = use
  const entry = { actor, action, subject: `keys/${keyId}`, before: null, at }
  record(
    bus,
    tx,
    fault === undefined
      ? { ...entry, after: details }
      : { ...entry, after: null, successful: false, labels: { fault } },
  )
}

/** Undefined: the caller may use a key once more. */
export type UseRate = (caller: string, now_ms: number) => RefusedCommand | undefined

const minute_ms = 60_000

/** Each process counts by itself. */
export function openUseRate(uses_max: number): UseRate {
  let minute = 0
  const uses = new Map<string, number>()
  return (caller, now_ms) => {
    const current = Math.floor(now_ms / minute_ms)
    if (current !== minute) uses.clear()
    minute = current
    const count = uses.get(caller) ?? 0
    if (count >= uses_max)
      return refuse('BUSY', `a caller uses keys at most ${uses_max} times a minute`)
    uses.set(caller, count + 1)
    return undefined
  }
}
