/**
 * A history before it is played: who pays whom, how payee FSPs answer, what operators do, and which faults
 * strike when. It is data, so that it can be made of a seed, made shorter and stored.
 */
import { openChance, seedOf, type Chance } from '../../virtual/chance.ts'
import { models, type Currency, type Model } from './currencies.ts'
import type { PlannedLink } from './link-plan.ts'
import type { Lists } from './lists.ts'
import { brokerFaultBy, faultsBy, ofReplicas } from './plan-faults.ts'
import { bulkBy, transferBy } from './plan-payments.ts'
import { atTheLastMoment, rarely, withLinks } from './plan-plays.ts'

/** The FSPs of the scheme; `poor` has no funds. */
export const fsps = ['mango', 'river', 'poor'] as const

/**
 * How a payee FSP answers: with the fulfilment, at once or just before the expiration, asking for a PATCH
 * with RESERVED, refusing, with a fulfilment that does not fit, when the transfer may have expired, while
 * the hub expires it, not at all.
 */
export type PayeeAnswer =
  | 'FULFIL'
  | 'JUST'
  | 'RESERVE'
  | 'REJECT'
  | 'WRONG'
  | 'LATE'
  | 'SWEPT'
  | 'SILENT'

/** What the payer FSP asks before it pays. */
export type Lead = 'LOOKUP' | 'QUOTE'

export interface PlannedTransfer {
  readonly payer: string
  readonly payee: string
  readonly amount: string
  /** USD unless it is given. */
  readonly currency?: Currency
  readonly begins_ms: number
  /** From when it is sent to its expiration. */
  readonly valid_ms: number
  readonly leads: readonly Lead[]
  /** One after the other. */
  readonly answers: readonly PayeeAnswer[]
  /** The payer FSP sends its request once more, or another one with the same id. */
  readonly again: readonly ('SAME' | 'OTHER')[]
  /** The extension lists of its messages; undefined: they have none. */
  readonly lists?: Lists
}

export interface PlannedBulk {
  readonly payer: string
  readonly payee: string
  /** USD unless it is given. */
  readonly currency?: Currency
  /** How the payee FSP answers each item. */
  readonly items: readonly ('FULFIL' | 'REJECT' | 'WRONG')[]
  /** The request has so many of its ids once more at its end. */
  readonly twice: number
  /**
   * Whether it answers item by item, at once or just before the expiration, refuses the whole, answers when
   * it may have expired, about some items only, or never.
   */
  readonly speaks: 'ANSWER' | 'JUST' | 'REJECT' | 'LATE' | 'PARTLY' | 'SILENT'
  /** Messages with PROCESSING before the last one, each about its part of the items. */
  readonly parts: number
  /** As soon as it is asked it sends so many messages at once that speak of no item. */
  readonly floods?: number
  /** The extension lists of items and results; undefined: they have none. */
  readonly lists?: Lists
  readonly begins_ms: number
  readonly valid_ms: number
}

/** A message that passes between an FSP and the hub: of the payer FSP, of the payee FSP, of the hub. */
export interface Mark {
  readonly message: 'REQUEST' | 'ANSWER' | 'CALLBACK'
  /** Which of them. */
  readonly n: number
}

/** Which of the trips to the database, of those that write, of the commits, or of the sends to the brokers. */
export interface Moment {
  readonly of: 'TRIP' | 'WRITE' | 'COMMIT' | 'SEND'
  readonly at: number
  /** From when they are counted; left out: from the beginning of the history. */
  readonly since?: Mark
}

export type PlannedFault =
  /** The process dies, or its connection is cut, before or after the server has worked. */
  | { readonly type: 'CRASH' | 'CUT'; readonly when: 'BEFORE' | 'AFTER'; readonly moment: Moment }
  /** The server refuses with this SQLSTATE: once, or all that comes within a time. */
  | {
      readonly type: 'REFUSE'
      readonly sqlState: string
      readonly lasts_ms: number
      readonly moment: Moment
    }
  /** It refuses log-ins, and ends the sessions that there are. */
  | {
      readonly type: 'LOCK_OUT'
      readonly sqlState: string
      readonly lasts_ms: number
      readonly moment: Moment
    }
  /** From the beginning some trips take up to so long; a hub that starts does not bear that for ever. */
  | {
      readonly type: 'SLOW'
      readonly delay_ms: number
      readonly probability: number
      readonly lasts_ms: number
    }
  /** The process does nothing for a while. */
  | { readonly type: 'FREEZE'; readonly lasts_ms: number; readonly moment: Moment }
  /** The process stops in order. */
  | { readonly type: 'STOP'; readonly moment: Moment }
  /** The clock of the process is set ahead or back, until the next start or the end of the history. */
  | { readonly type: 'CLOCK'; readonly ahead_ms: number; readonly moment: Moment }
  /** Calls between services fail with this status of gRPC, before or after they were handled. */
  | {
      readonly type: 'CALL'
      readonly code: number
      readonly isHandled: boolean
      readonly count: number
      readonly at: number
    }
  /** An FSP's callbacks fail from one of them on: refused, without an answer, with a status. */
  | {
      readonly type: 'CALLBACK'
      readonly fate: 'REFUSED' | 'HANGS' | 'ANSWER_LOST' | number
      readonly count: number
      readonly at: number
    }
  /** From one send to the brokers on, none of them answers for a while. */
  | { readonly type: 'BROKERS'; readonly lasts_ms: number; readonly at: number }
  /** The brokers refuse a producer, whether or not they have what it sent. */
  | {
      readonly type: 'PRODUCE'
      readonly answer: string
      readonly isStored: boolean
      readonly count: number
      readonly at: number
    }
  /** A message of an FSP, or the answer to it, is lost. */
  | { readonly type: 'REQUEST'; readonly fate: 'LOST' | 'ANSWER_LOST'; readonly at: number }

export interface FundsOut {
  readonly fsp: string
  readonly amount: string
  /** What is held leaves or not; or it leaves in one step. */
  readonly ends: 'COMMIT' | 'ABORT' | 'AT_ONCE'
}

export interface Settle {
  readonly model: Model
  /** After so many steps a first settlement is aborted; undefined: it is not. */
  readonly aborts?: number
}

export interface SwitchOff {
  readonly fsp: string
  readonly lasts_ms: number
}

export interface LowerCap {
  readonly currency: Currency
  /** What an FSP may owe beyond what it owes. */
  readonly room: string
  readonly lasts_ms: number
}

export interface Suspend {
  readonly fsp: string
  /** How long the scheme lets it pay while it is suspended. */
  readonly lasts_ms: number
}

/** What operators do. */
export type PlannedAct = { readonly begins_ms: number } & (
  | { readonly act: 'CLOSE_WINDOW' }
  | ({ readonly act: 'SETTLE' } & Settle)
  | ({ readonly act: 'FUNDS_OUT' } & FundsOut)
  | ({ readonly act: 'SWITCH_OFF' } & SwitchOff)
  | ({ readonly act: 'LOWER_CAP' } & LowerCap)
  /** For a while payments have no interchange fee. */
  | { readonly act: 'END_FEES'; readonly lasts_ms: number }
  | ({ readonly act: 'SUSPEND' } & Suspend)
)

export interface Plan {
  /** Of the chance while it is played. */
  readonly seed: number
  /** So long after its beginning a month ends; left out: none does. */
  readonly monthEnds_ms?: number
  /** Each trip to the database takes up to so long. */
  readonly trip_ms: number
  readonly transfers: readonly PlannedTransfer[]
  readonly bulks: readonly PlannedBulk[]
  /** Accounts that a PISP links and pays from. */
  readonly links: readonly PlannedLink[]
  readonly acts: readonly PlannedAct[]
  readonly faults: readonly PlannedFault[]
}

/** The steps of a settlement after which it can be aborted. */
const steps_max = 2

/** @param hasBrokers whether the hub is two replicas over Kafka */
export function planOf(seed: number, index: number, hasBrokers = false): Plan {
  const chance = openChance(seedOf(seed, index))
  const plan = planBy(chance)
  if (!hasBrokers) return plan
  const faults = plan.faults.map((fault) => ofReplicas(chance, fault))
  const more = faults.length > 0 && chance.happens(0.4) ? [brokerFaultBy(chance)] : []
  return { ...plan, faults: [...faults, ...more] }
}

function planBy(chance: Chance): Plan {
  const count = 2 + chance.below(6)
  const plan: Plan = {
    seed: chance.below(2 ** 32),
    trip_ms: chance.oneOf([0, 0, 3, 20]),
    transfers: Array.from({ length: count }, () => transferBy(chance)),
    bulks: chance.happens(0.2) ? [bulkBy(chance)] : [],
    links: [],
    acts: chance.happens(0.4)
      ? Array.from({ length: 1 + chance.below(2) }, () => actBy(chance))
      : [],
    faults: faultsBy(chance),
  }
  const drawn = chance.happens(0.2) ? atTheLastMoment(chance, plan) : plan
  return rarely(chance, chance.happens(1 / 6) ? withLinks(chance, drawn) : drawn)
}

function actBy(chance: Chance): PlannedAct {
  const begins_ms = chance.below(4_000)
  switch (chance.oneOf(['CLOSE_WINDOW', 'SETTLE', 'SETTLE', 'FUNDS_OUT', 'SWITCH_OFF'] as const)) {
    case 'CLOSE_WINDOW':
      return { act: 'CLOSE_WINDOW', begins_ms }
    case 'SETTLE':
      return {
        act: 'SETTLE',
        model: chance.oneOf(models),
        ...(chance.happens(0.4) ? { aborts: chance.below(steps_max + 1) } : {}),
        begins_ms,
      }
    case 'FUNDS_OUT': {
      const amount = chance.oneOf(['6000', '6000', '20000'])
      const ends = chance.oneOf(['COMMIT', 'ABORT', 'AT_ONCE'] as const)
      return { act: 'FUNDS_OUT', fsp: 'mango', amount, ends, begins_ms }
    }
    case 'SWITCH_OFF':
      // While payments begin.
      return {
        act: 'SWITCH_OFF',
        fsp: 'river',
        lasts_ms: chance.below(2_000),
        begins_ms: Math.floor(begins_ms / 3),
      }
  }
}
