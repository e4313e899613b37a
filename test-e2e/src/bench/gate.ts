/**
 * Whether a run counts: the FSPs, the ledger and the tables agree on every payment, nothing was
 * done twice, nothing is left open, and the hub refused every message that it must refuse.
 */
import type { Holdings } from './database.ts'
import type { Probed, Totals } from './messages.ts'
import type { BenchOptions } from './options.ts'

export interface Evidence {
  readonly totals: Totals
  readonly holdings: Holdings
  readonly probed: Probed
  readonly options: Pick<BenchOptions, 'identity' | 'signed' | 'legs' | 'disturb'>
  /** What POST /verify answered. */
  readonly verify: unknown
}

/** One sentence for each condition that does not hold; none: the run counts. */
export function faultsOf(evidence: Evidence): readonly string[] {
  const { totals, holdings, verify, options } = evidence
  const failed = failedOf(totals)
  if (options.disturb === 'ill') return faultsWithFailing(failed, evidence)
  return [
    ...(failed === 0 ? [] : [`${failed} of ${totals.begun} payments failed`]),
    ...differences(evidence),
    ...(totals.repeated === 0 ? [] : [`${totals.repeated} messages came a second time`]),
    ...notEmpty('reservations are open', holdings.open_reservations),
    ...notEmpty('callbacks are not delivered', holdings.undelivered),
    ...notEmpty('events are dead letters', holdings.dead_letters),
    ...(isClean(verify) ? [] : ['verify is not clean']),
    ...unguarded(evidence),
  ]
}

/** Payments that were neither made nor refused nor sent to a failing FSP. */
export function failedOf({ begun, committed, refused, unanswered }: Totals): number {
  return begun - committed - refused - unanswered
}

/** Messages to failing FSPs are still in flight, so counting the tables gives no result. */
function faultsWithFailing(failed: number, { totals, verify }: Evidence): readonly string[] {
  return [
    ...(failed === 0 ? [] : [`${failed} of ${totals.begun} payments failed`]),
    ...(totals.repeated === 0 ? [] : [`${totals.repeated} messages came a second time`]),
    ...(isClean(verify) ? [] : ['verify is not clean']),
  ]
}

export function isClean(verify: unknown): boolean {
  return typeof verify === 'object' && verify !== null && 'clean' in verify && verify.clean === true
}

/**
 * Compares commands, reservations, commits and callbacks. A payment that the hub was too busy for
 * has the steps before that and no others.
 */
function differences({ totals, holdings, options }: Evidence): readonly string[] {
  const { lookup, quote, transfer } = totals.legs
  const commands = transfer?.commands ?? 0
  const beforeTransfer = transfer?.refused ?? 0
  const beforeQuote = beforeTransfer + (quote?.refused ?? 0)
  /** The name of a count, the count, and how many of it belong to payments without a transfer. */
  const compared: (readonly [string, number | undefined, number])[] = [
    ['transfers reserved', holdings.reservations, 0],
    ['transfers posted', holdings.posted, 0],
    ['transfers COMMITTED', holdings.committed_transfers, 0],
    ['POST /transfers at payees', transfer?.requests, 0],
    ['PUT /transfers at payers', transfer?.callbacks, 0],
  ]
  if (options.legs.includes('quote')) {
    compared.push(
      ['POST /quotes taken', quote?.commands, beforeTransfer],
      ['quotes kept', holdings.kept_quotes, beforeTransfer],
      ['quotes ACCEPTED', holdings.accepted_quotes, beforeTransfer],
      ['POST /quotes at payees', quote?.requests, beforeTransfer],
      ['PUT /quotes at payers', quote?.callbacks, beforeTransfer],
    )
  }
  if (options.legs.includes('lookup')) {
    compared.push(
      ['GET /parties taken', lookup?.commands, beforeQuote],
      ['GET /parties at payees', lookup?.requests, beforeQuote],
      ['PUT /parties at payers', lookup?.callbacks, beforeQuote],
    )
  }
  return compared
    .filter(([, n = 0, without]) => n - without !== commands)
    .map(([what, n = 0, without]) => {
      const also = without === 0 ? '' : ` and ${without} refused`
      return `${n} ${what}, but ${commands} POST /transfers taken${also}`
    })
}

function notEmpty(what: string, n: number): readonly string[] {
  return n === 0 ? [] : [`${n} ${what}`]
}

function unguarded({ probed, options }: Evidence): readonly string[] {
  const { identity, signed } = options
  return [
    ...(signed !== undefined && !probed.refusesChangedBody
      ? ['a message was taken that was changed after it was signed']
      : []),
    ...(signed !== undefined && !probed.signsItsOwn
      ? ['the hub sent a message of its own unsigned']
      : []),
    ...(identity !== 'header' && !probed.refusesOthersName
      ? ['an FSP could send in the name of another']
      : []),
  ]
}
