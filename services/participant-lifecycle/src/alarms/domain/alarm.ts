/**
 * When somebody is told that a position comes near its limit: once, then at most a few times more with
 * a pause between them, and anew when the position has recovered meanwhile.
 */

/**
 * THRESHOLD: what remains of the limit is at or below the percentage of the alarm. LIMIT: a transfer was
 * refused for want of cover, or for the cap.
 */
export type Kind = 'THRESHOLD' | 'LIMIT'

/** An alarm that was raised and is not over. */
export interface Standing {
  readonly firstAt: Date
  readonly lastToldAt: Date
  /** How often it was told. */
  readonly told: number
  /** The limit that it was raised at. */
  readonly limit: bigint
}

/** What stands for one POSITION account. */
export interface Alarms {
  readonly threshold: Standing | null
  readonly limit: Standing | null
}

export const quiet: Alarms = { threshold: null, limit: null }

export interface AlarmRules {
  /** The shortest time between two tellings of one alarm. */
  readonly interval_ms: number
  /** How often one alarm is told at most. */
  readonly told_max: number
  /** An alarm that has stood for so long is raised anew. */
  readonly reset_ms: number
}

/** A POSITION account as it stands at the end of a batch. */
export interface Reading {
  /** Reservations are inside. */
  readonly position: bigint
  /** The lower one of the net debit cap and the cover. */
  readonly limit: bigint
  /** Ten-thousandths of a percent. */
  readonly alarmPercentage: bigint
  /** Whether the batch refused a transfer of it for want of liquidity. */
  readonly wasRefused: boolean
}

/** 100 percent in ten-thousandths. */
const whole = 1_000_000n

export interface AlarmDecision {
  readonly alarms: Alarms
  /** What is to be told now. */
  readonly told: readonly Kind[]
}

/** The same `alarms` again when nothing is to be stored or told. */
export function decideAlarms(
  before: Alarms,
  reading: Reading,
  now: Date,
  rules: AlarmRules,
): AlarmDecision {
  const recovered = cleared(before, reading)
  const threshold = isBreached(reading)
    ? raised(recovered.threshold, reading, now, rules)
    : recovered.threshold
  const limit = reading.wasRefused ? raised(recovered.limit, reading, now, rules) : recovered.limit
  const told: Kind[] = []
  if (threshold !== recovered.threshold) told.push('THRESHOLD')
  if (limit !== recovered.limit) told.push('LIMIT')
  const isSame = threshold === before.threshold && limit === before.limit
  return { alarms: isSame ? before : { threshold, limit }, told }
}

/** Whether what remains of the limit is at or below the percentage; without a limit nothing is. */
export function isBreached({ position, limit, alarmPercentage }: Reading): boolean {
  return limit > 0n && position * whole >= limit * (whole - alarmPercentage)
}

/** What remains of the limit, in ten-thousandths of a percent; 0 when there is no limit. */
export function remainingPercentage({
  position,
  limit,
}: Pick<Reading, 'position' | 'limit'>): bigint {
  return limit > 0n ? whole - (position * whole) / limit : 0n
}

/**
 * A position that has recovered ends both alarms. A refusal says nothing of the position, so its alarm
 * also ends when the limit has been raised: the next refusal is news.
 */
function cleared(before: Alarms, reading: Reading): Alarms {
  const isOver = before.threshold !== null && reading.limit > 0n && !isBreached(reading)
  const isRaised = before.limit !== null && reading.limit > before.limit.limit
  if (!isOver && !isRaised) return before
  return {
    threshold: isOver ? null : before.threshold,
    limit: null,
  }
}

/** The standing alarm itself when it is not to be told again yet. */
function raised(
  standing: Standing | null,
  { limit }: Reading,
  now: Date,
  { interval_ms, told_max, reset_ms }: AlarmRules,
): Standing {
  const isNew = standing === null || age_ms(standing.firstAt, now) >= reset_ms
  if (isNew) return { firstAt: now, lastToldAt: now, told: 1, limit }
  if (standing.told >= told_max || age_ms(standing.lastToldAt, now) < interval_ms) return standing
  return { ...standing, lastToldAt: now, told: standing.told + 1 }
}

function age_ms(since: Date, now: Date): number {
  return now.getTime() - since.getTime()
}
