/**
 * When an alarm about a position near its limit is notified: once, then at most a few more times
 * with a pause between them, and again after the position has recovered in the meantime.
 */

import type { ActiveAlarmKind } from '@causeway/protos'

/** An alarm that was raised and has not ended. */
export interface ActiveAlarm {
  readonly firstAt: Date
  readonly lastNotifiedAt: Date
  /** How often it was notified. */
  readonly notified: number
  /** The limit at the time it was raised. */
  readonly limit: bigint
}

/** The active alarms of one POSITION account. */
export interface Alarms {
  readonly threshold: ActiveAlarm | null
  readonly limit: ActiveAlarm | null
}

/** A POSITION account with a limit, and its active alarms. */
export interface Watched {
  readonly accountId: number
  /** Ten-thousandths of a percent. */
  readonly alarmPercentage: bigint
  readonly alarms: Alarms
}

export const quiet: Alarms = { threshold: null, limit: null }

export interface AlarmRules {
  /** The shortest time between two notifications of one alarm. */
  readonly interval_ms: number
  /** How often one alarm is notified at most. */
  readonly notified_max: number
  /** An alarm that has been active for so long is raised again. */
  readonly reset_ms: number
}

/** A POSITION account at the end of a batch. */
export interface PositionReading {
  /** Includes reservations. */
  readonly position: bigint
  /** The lower of net debit cap and cover. */
  readonly limit: bigint
  /** Ten-thousandths of a percent. */
  readonly alarmPercentage: bigint
  /** Whether the batch refused one of its transfers for lack of liquidity. */
  readonly wasRefused: boolean
}

/** 100 percent in ten-thousandths. */
const whole = 1_000_000n

export interface AlarmDecision {
  readonly alarms: Alarms
  /** What is to be notified now. */
  readonly notified: readonly ActiveAlarmKind[]
}

/** The same `alarms` again when nothing is to be stored or notified. */
export function decideAlarms(
  before: Alarms,
  reading: PositionReading,
  now: Date,
  rules: AlarmRules,
): AlarmDecision {
  const recovered = cleared(before, reading)
  const threshold = isBreached(reading)
    ? raised(recovered.threshold, reading, now, rules)
    : recovered.threshold
  const limit = reading.wasRefused ? raised(recovered.limit, reading, now, rules) : recovered.limit
  const notified: ActiveAlarmKind[] = []
  if (threshold !== recovered.threshold) notified.push('THRESHOLD')
  if (limit !== recovered.limit) notified.push('LIMIT')
  const isSame = threshold === before.threshold && limit === before.limit
  return { alarms: isSame ? before : { threshold, limit }, notified }
}

/** Whether what remains of the limit is at or below the percentage; never without a limit. */
export function isBreached({ position, limit, alarmPercentage }: PositionReading): boolean {
  return limit > 0n && position * whole >= limit * (whole - alarmPercentage)
}

/** What remains of the limit, in ten-thousandths of a percent; 0 when there is no limit. */
export function remainingPercentage({
  position,
  limit,
}: Pick<PositionReading, 'position' | 'limit'>): bigint {
  return limit > 0n ? whole - (position * whole) / limit : 0n
}

/**
 * A position that has recovered ends both alarms. A refusal does not depend on the position alone,
 * so its alarm also ends when the limit is raised: the next refusal is then notified.
 */
function cleared(before: Alarms, reading: PositionReading): Alarms {
  const isOver = before.threshold !== null && reading.limit > 0n && !isBreached(reading)
  const isRaised = before.limit !== null && reading.limit > before.limit.limit
  if (!isOver && !isRaised) return before
  return {
    threshold: isOver ? null : before.threshold,
    limit: null,
  }
}

/** The active alarm itself when it is not to be notified again yet. */
function raised(
  active: ActiveAlarm | null,
  { limit }: PositionReading,
  now: Date,
  { interval_ms, notified_max, reset_ms }: AlarmRules,
): ActiveAlarm {
  const isNew = active === null || age_ms(active.firstAt, now) >= reset_ms
  if (isNew) return { firstAt: now, lastNotifiedAt: now, notified: 1, limit }
  const isPaused = age_ms(active.lastNotifiedAt, now) < interval_ms
  if (active.notified >= notified_max || isPaused) return active
  return { ...active, lastNotifiedAt: now, notified: active.notified + 1 }
}

function age_ms(since: Date, now: Date): number {
  return now.getTime() - since.getTime()
}
