/** What some histories play that the others do not. */
import type { Chance } from '../../virtual/chance.ts'
import { currencies } from './currencies.ts'
import { linkBy } from './link-plan.ts'
import type { Plan, PlannedAct, PlannedFault } from './plan.ts'
import { refusalBy, statesOfOutages } from './plan-faults.ts'
import { bulkBy } from './plan-payments.ts'

/** Most of its messages are about links, which faults then strike; some are refused when one is stored. */
export function withLinks(chance: Chance, plan: Plan): Plan {
  const links = Array.from({ length: 1 + chance.below(2) }, () => linkBy(chance))
  const faults = chance.happens(0.4) ? [refusalBy(chance)] : plan.faults
  return { ...plan, transfers: plan.transfers.slice(0, 1), bulks: [], links, faults }
}

/** Payee FSPs answer just before the expiration, or while the hub expires it, and just then it is held up. */
export function atTheLastMoment(chance: Chance, plan: Plan): Plan {
  const since = { message: 'ANSWER', n: 1 + chance.below(3) } as const
  const moment = { of: 'WRITE', at: 1 + chance.below(3), since } as const
  const isBulk = chance.happens(0.4)
  const bulks = isBulk ? [{ ...bulkBy(chance), speaks: 'JUST' } as const] : []
  // Then most answers are those about the bulk.
  const transfers = plan.transfers.slice(0, isBulk ? 1 : undefined).map((transfer) => ({
    ...transfer,
    answers: chance.oneOf([['JUST'], ['JUST'], ['SWEPT']] as const),
  }))
  const sqlState = chance.oneOf(statesOfOutages)
  const fault = chance.oneOf<PlannedFault>([
    { type: 'FREEZE', lasts_ms: 3_000, moment },
    { type: 'FREEZE', lasts_ms: 3_000, moment },
    { type: 'FREEZE', lasts_ms: 500, moment },
    { type: 'REFUSE', lasts_ms: 3_000, sqlState, moment },
    { type: 'CRASH', when: 'AFTER', moment },
    { type: 'CUT', when: 'AFTER', moment },
  ])
  return { ...plan, trip_ms: chance.oneOf([0, 20]), transfers, bulks, faults: [fault] }
}

/** A payee FSP sends so many messages, each of which takes the hub a trip to the database at least. */
const floods_min = 250
const floods_trip_ms = 60

/** Transfers expire while the payee FSP of a bulk floods the hub with messages about it. */
function flooded(chance: Chance, plan: Plan): Plan {
  const transfers = plan.transfers.map((transfer) => ({
    ...transfer,
    leads: [],
    answers: ['SILENT'] as const,
    valid_ms: 1_000 + chance.below(1_000),
  }))
  const bulk = {
    ...bulkBy(chance),
    payer: 'river',
    payee: 'mango',
    speaks: chance.oneOf(['JUST', 'SILENT'] as const),
    begins_ms: 0,
    floods: floods_min + chance.below(50),
  }
  const trip_ms = floods_trip_ms
  return { ...plan, trip_ms, transfers, bulks: [bulk], links: [], acts: [], faults: [] }
}

const month_ends_ms_max = 2_000

/** A month ends after payments have begun, of which many are answered just before their expiration. */
function atMonthsEnd(chance: Chance, plan: Plan): Plan {
  const transfers = plan.transfers.map((transfer) =>
    chance.happens(0.5) ? { ...transfer, answers: ['JUST'] as const } : transfer,
  )
  return { ...plan, transfers, monthEnds_ms: chance.below(month_ends_ms_max) }
}

/** Until the last payment that begins while an operator changes what applies. */
const changing_ms = 8_000

/** An operator changes what applies to payments that FSPs send each other meanwhile. */
function changing(chance: Chance, plan: Plan): Plan {
  const currency = chance.oneOf(currencies)
  const lasts_ms = 1_000 + chance.below(4_000)
  const begins_ms = chance.below(1_000)
  const act = chance.oneOf<PlannedAct>([
    { act: 'LOWER_CAP', currency, room: chance.oneOf(['0', '1', '2.5']), lasts_ms, begins_ms },
    { act: 'END_FEES', lasts_ms, begins_ms },
    { act: 'SUSPEND', fsp: 'river', lasts_ms: 2_000 + lasts_ms, begins_ms },
  ])
  const transfers = plan.transfers.map((transfer) => {
    const [payer, payee] = chance.oneOf([
      ['mango', 'river'],
      ['river', 'mango'],
    ] as const)
    const begins = chance.below(changing_ms)
    const concerned = act.act === 'END_FEES' ? 'EUR' : currency
    return { ...transfer, payer, payee, currency: concerned, begins_ms: begins }
  })
  const faults = chance.happens(0.5) ? plan.faults : []
  return { ...plan, transfers, bulks: [], links: [], acts: [act], faults }
}

/** What is so long, or so rare, that few histories have it. */
export function rarely(chance: Chance, plan: Plan): Plan {
  const n = chance.below(160)
  if (n < 2) return flooded(chance, plan)
  if (n < 9) return changing(chance, plan)
  if (n === 9) return atMonthsEnd(chance, plan)
  return plan
}
