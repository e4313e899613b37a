/**
 * Whether a run counts: the FSPs, the ledger and the tables agree on every payment, nothing was
 * done twice, nothing is left open, and the hub refused every message that it must refuse.
 */
import type { Operator } from '../operator/operator.ts'
import type { Guarantees, Holdings } from './database.ts'
import type { Probed, Totals } from './fsps/messages.ts'
import type { BenchOptions } from './options.ts'
import type { Hub } from './setup.ts'

export interface RunEvidence {
  readonly totals: Totals
  readonly holdings: Holdings
  readonly probed: Probed
  readonly options: Pick<BenchOptions, 'legs'>
  /** What POST /verify answered. */
  readonly verify: unknown
}

/** One sentence for each condition that does not hold; none: the run counts. */
export function faultsOf(evidence: RunEvidence): readonly string[] {
  const { totals, holdings, verify, probed } = evidence
  return [
    ...differences(evidence),
    ...unmade(totals),
    ...notEmpty('reservations are open', holdings.open_reservations),
    ...notEmpty('callbacks are not delivered', holdings.undelivered),
    ...notEmpty('events are dead letters', holdings.dead_letters),
    ...notClean(verify),
    ...unguarded(probed),
  ]
}

/** What FSPs saw of a hub that did not what it should. */
export function unmade(totals: Totals): readonly string[] {
  const failed = failedOf(totals)
  return [
    ...(failed === 0 ? [] : [`${failed} of ${totals.begun} payments failed`]),
    ...(totals.repeated === 0 ? [] : [`${totals.repeated} messages came a second time`]),
  ]
}

/** Payments that were neither made nor refused. */
export function failedOf({ begun, committed, refused }: Totals): number {
  return begun - committed - refused
}

/** What POST /verify answers. */
export async function verdictOf(operator: Operator): Promise<unknown> {
  const answer = await operator.call('POST', '/verify')
  return answer.status === 200 ? answer.json : `answered ${answer.status}`
}

export function isClean(verify: unknown): boolean {
  return typeof verify === 'object' && verify !== null && 'clean' in verify && verify.clean === true
}

function notClean(verify: unknown): readonly string[] {
  return isClean(verify) ? [] : ['verify is not clean']
}

export function notDurable({ fsync, synchronous_commit }: Guarantees): readonly string[] {
  return fsync && synchronous_commit ? [] : ['what is committed is not durable']
}

/** What is wrong with a hub, whatever the load was. */
export async function faultsOfHub({
  operator,
  database,
}: Pick<Hub, 'operator' | 'database'>): Promise<readonly string[]> {
  return [...notClean(await verdictOf(operator)), ...notDurable(await database.guarantees())]
}

/**
 * Compares commands, reservations, commits and callbacks. A payment that the hub was too busy for
 * has the steps before that and no others.
 */
function differences({ totals, holdings, options }: RunEvidence): readonly string[] {
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

export function unguarded(probed: Probed): readonly string[] {
  return [
    ...(probed.refusesChangedBody
      ? []
      : ['a message was taken that was changed after it was signed']),
    ...(probed.signsItsOwn ? [] : ['the hub sent a message of its own unsigned']),
    ...(probed.refusesOthersName ? [] : ['an FSP could send in the name of another']),
  ]
}
