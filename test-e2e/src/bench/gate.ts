/**
 * Whether a run counts: the FSPs, the ledger and the tables say the same of every payment, nothing was
 * doubled, nothing is left open, and the hub refused what it must not let pass.
 */
import type { Holdings } from './database.ts'
import type { Probed, Totals } from './messages.ts'
import type { BenchOptions } from './options.ts'

export interface Evidence {
  readonly totals: Totals
  readonly holdings: Holdings
  readonly probed: Probed
  readonly options: Pick<BenchOptions, 'identity' | 'signed' | 'legs'>
  /** What POST /verify answered. */
  readonly verify: unknown
}

/** One sentence for each thing that is not as it must be; none: the run counts. */
export function faultsOf(evidence: Evidence): readonly string[] {
  const { totals, holdings, verify } = evidence
  const failed = totals.begun - totals.committed
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

export function isClean(verify: unknown): boolean {
  return typeof verify === 'object' && verify !== null && 'clean' in verify && verify.clean === true
}

/** commands : reservations : commits : callbacks. */
function differences({ totals, holdings, options }: Evidence): readonly string[] {
  const { lookup, quote, transfer } = totals.legs
  const commands = transfer?.commands ?? 0
  const compared: (readonly [string, number | undefined])[] = [
    ['transfers reserved', holdings.reservations],
    ['transfers posted', holdings.posted],
    ['transfers COMMITTED', holdings.committed_transfers],
    ['POST /transfers at payees', transfer?.requests],
    ['PUT /transfers at payers', transfer?.callbacks],
  ]
  if (options.legs.includes('quote')) {
    compared.push(
      ['POST /quotes taken', quote?.commands],
      ['quotes kept', holdings.kept_quotes],
      ['quotes ACCEPTED', holdings.accepted_quotes],
      ['POST /quotes at payees', quote?.requests],
      ['PUT /quotes at payers', quote?.callbacks],
    )
  }
  if (options.legs.includes('lookup')) {
    compared.push(
      ['GET /parties taken', lookup?.commands],
      ['GET /parties at payees', lookup?.requests],
      ['PUT /parties at payers', lookup?.callbacks],
    )
  }
  return compared
    .filter(([, n]) => n !== commands)
    .map(([what, n]) => `${n ?? 0} ${what}, but ${commands} POST /transfers taken`)
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
      ? ['an FSP could speak in the name of another']
      : []),
  ]
}
