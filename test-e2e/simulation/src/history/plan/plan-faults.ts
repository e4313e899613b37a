/** Which faults a history has, by chance. */
import type { Chance } from '../../virtual/chance.ts'
import type { Moment, PlannedFault } from './plan.ts'

/** What a server may answer at any statement without having done it. */
export const statesOfOutages = [
  '40P01',
  '40001',
  '53100',
  '53200',
  '57014',
  '55P03',
  '58030',
  '25006',
]
const statesOfLogIn = ['28P01', '28000', '3D000', '53300', '57P03']
/** UNAVAILABLE, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAUTHENTICATED, INTERNAL, CANCELLED */
const codes = [14, 4, 8, 16, 13, 1]
const codesOfOutages: ReadonlySet<number> = new Set([14, 4])
const faults_max = 4
/** How many there are in most histories. */
const moments_max = { TRIP: 250, WRITE: 80, COMMIT: 40 } as const
const calls_max = 40
/** To the brokers, in most histories. */
const sends_max = 100
/** Of each kind, in most histories. */
const messages_max = 6
/** The same of a link and a payment from it. */
const link_messages_max = 14
const clocks_ms_max = 450
/** How many there are while a message is worked on. */
const soon_max = { TRIP: 12, WRITE: 6, COMMIT: 4 } as const

export function refusalBy(chance: Chance): PlannedFault {
  const message = chance.oneOf(['REQUEST', 'ANSWER', 'CALLBACK'] as const)
  const since = { message, n: 1 + chance.below(link_messages_max) }
  const moment = { of: 'WRITE', at: 1 + chance.below(soon_max.WRITE), since } as const
  const lasts_ms = chance.oneOf([0, 100, 1_000])
  return { type: 'REFUSE', sqlState: chance.oneOf(statesOfOutages), lasts_ms, moment }
}

/** One history in eight has none. */
export function faultsBy(chance: Chance): readonly PlannedFault[] {
  if (chance.happens(1 / 8)) return []
  const count = chance.happens(0.5) ? 1 : 1 + chance.below(faults_max)
  const faults = Array.from({ length: count }, () => faultBy(chance))
  return chance.happens(0.5)
    ? [...faults, ...faults.flatMap((fault) => endBy(chance, fault))]
    : faults
}

/** While a callback is without an answer, the process ends. */
function endBy(chance: Chance, fault: PlannedFault): readonly PlannedFault[] {
  if (fault.type !== 'CALLBACK') return []
  const since = { message: 'CALLBACK', n: fault.at } as const
  const moment = { of: 'TRIP', at: 1 + chance.below(20), since } as const
  return [chance.happens(0.5) ? { type: 'STOP', moment } : { type: 'CRASH', when: 'AFTER', moment }]
}

function faultBy(chance: Chance): PlannedFault {
  const moment = momentBy(chance)
  const when = chance.oneOf(['BEFORE', 'AFTER', 'AFTER'] as const)
  const lasts_ms = chance.oneOf([0, 100, 1_000, 3_000, 6_000])
  switch (chance.below(16)) {
    case 0:
    case 1:
    case 2:
      return { type: 'CRASH', when, moment }
    case 3:
    case 4:
      return { type: 'CUT', when, moment }
    case 5:
    case 6:
      return { type: 'REFUSE', sqlState: chance.oneOf(statesOfOutages), lasts_ms, moment }
    case 7:
      return { type: 'LOCK_OUT', sqlState: chance.oneOf(statesOfLogIn), lasts_ms, moment }
    case 8:
      return {
        type: 'SLOW',
        delay_ms: chance.oneOf([5, 300, 3_000]),
        probability: chance.oneOf([0.01, 0.03, 0.1]),
        lasts_ms: chance.oneOf([2_000, 10_000]),
      }
    case 9:
      return { type: 'FREEZE', lasts_ms: chance.oneOf([500, 3_000, 15_000]), moment }
    case 10:
      return { type: 'STOP', moment }
    case 11:
      return {
        type: 'REQUEST',
        fate: chance.oneOf(['LOST', 'ANSWER_LOST']),
        at: 1 + chance.below(12),
      }
    case 12:
      return { type: 'CLOCK', ahead_ms: chance.oneOf([-3_000, -300, 300, 3_000]), moment }
    case 13:
    case 14:
      return {
        type: 'CALLBACK',
        fate: chance.oneOf(['REFUSED', 'HANGS', 'ANSWER_LOST', 500, 503, 404]),
        count: chance.oneOf([1, 1, 3]),
        at: 1 + chance.below(12),
      }
    default: {
      const at = 1 + chance.below(calls_max)
      const code = chance.oneOf(codes)
      // A message that fails again and again for a reason of its own becomes a dead letter.
      const count = codesOfOutages.has(code) ? chance.oneOf([1, 1, 3, 10]) : 1
      return { type: 'CALL', code, isHandled: chance.happens(0.5), count, at }
    }
  }
}

/**
 * The clocks of two replicas differ by less than a second, as the hub requires. Some of what strikes at a
 * write after a message strikes at a send to the brokers instead.
 */
export function ofReplicas(chance: Chance, fault: PlannedFault): PlannedFault {
  if (fault.type === 'CLOCK') {
    const ahead_ms = Math.max(-clocks_ms_max, Math.min(fault.ahead_ms, clocks_ms_max))
    return { ...fault, ahead_ms }
  }
  if (fault.type !== 'CRASH' && fault.type !== 'FREEZE') return fault
  const { moment } = fault
  const moves = moment.of === 'WRITE' && moment.since !== undefined && chance.happens(0.5)
  return moves ? { ...fault, moment: { ...moment, of: 'SEND' } } : fault
}

export function brokerFaultBy(chance: Chance): PlannedFault {
  const at = 1 + chance.below(sends_max)
  if (chance.happens(0.5)) {
    return { type: 'BROKERS', lasts_ms: chance.oneOf([300, 3_000, 8_000]), at }
  }
  const answer = chance.oneOf(['NOT_ENOUGH_REPLICAS_AFTER_APPEND', 'OUT_OF_ORDER_SEQUENCE_NUMBER'])
  return {
    type: 'PRODUCE',
    answer,
    isStored: chance.happens(0.7),
    count: chance.oneOf([1, 1, 3]),
    at,
  }
}

/** Half of them follow a message, where the hub has just promised something. */
function momentBy(chance: Chance): Moment {
  const of = chance.oneOf(['TRIP', 'WRITE', 'WRITE', 'COMMIT'] as const)
  if (chance.happens(0.5)) return { of, at: 1 + chance.below(moments_max[of]) }
  const message = chance.oneOf(['REQUEST', 'ANSWER', 'ANSWER', 'CALLBACK'] as const)
  const since = { message, n: 1 + chance.below(messages_max) }
  return { of, at: 1 + chance.below(soon_max[of]), since }
}
