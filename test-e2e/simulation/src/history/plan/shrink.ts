/** Makes a failing history shorter: leaves out what it fails without. */
import type { PlannedLink } from './link-plan.ts'
import type { Plan, PlannedBulk } from './plan.ts'

/** The shortest that was found; `fails` says whether a history is wrong, on a hub that is as new. */
export async function shrink(
  plan: Plan,
  fails: (plan: Plan) => Promise<boolean>,
  tries_max: number,
): Promise<Plan> {
  let shortest = plan
  let tries = 0
  for (;;) {
    let shorter: Plan | undefined
    for (const candidate of shorterThan(shortest)) {
      if (tries === tries_max) return shortest
      tries += 1
      if (!(await fails(candidate))) continue
      shorter = candidate
      break
    }
    if (shorter === undefined) return shortest
    shortest = shorter
  }
}

/** Those with less come first: half of the transfers, one fault, one transfer, one repetition less. */
export function* shorterThan(plan: Plan): Generator<Plan> {
  const { transfers, faults, acts, bulks, links } = plan
  if (transfers.length > 2) {
    const half = Math.ceil(transfers.length / 2)
    yield { ...plan, transfers: transfers.slice(0, half) }
    yield { ...plan, transfers: transfers.slice(half) }
  }
  if (links.length > 0 && transfers.length > 0) yield { ...plan, links: [] }
  if (links.length > 0 && transfers.length > 0) yield { ...plan, transfers: [] }
  if (bulks.length > 0 && transfers.length > 0) yield { ...plan, bulks: [] }
  if (bulks.length > 0 && transfers.length > 0) yield { ...plan, transfers: [] }
  if (acts.length > 0) yield { ...plan, acts: [] }
  for (const fault of faults) yield { ...plan, faults: without(faults, fault) }
  if (transfers.length > 1) {
    for (const transfer of transfers) yield { ...plan, transfers: without(transfers, transfer) }
  }
  yield* withShorterBulks(plan)
  yield* withShorterLinks(plan)
  if (plan.trip_ms > 0) yield { ...plan, trip_ms: 0 }
  const { monthEnds_ms, ...within } = plan
  if (monthEnds_ms !== undefined) yield within
  for (const transfer of transfers) {
    const replaced = (changes: Partial<typeof transfer>) => ({
      ...plan,
      transfers: transfers.map((each) => (each === transfer ? { ...each, ...changes } : each)),
    })
    if (transfer.leads.length > 0) yield replaced({ leads: [] })
    if (transfer.again.length > 0) yield replaced({ again: [] })
    if (transfer.answers.length > 1) yield replaced({ answers: transfer.answers.slice(0, 1) })
  }
}

/** Half of the items of a bulk and no id twice, no lists, no flood. */
function* withShorterBulks(plan: Plan): Generator<Plan> {
  for (const bulk of plan.bulks) {
    const replacedBy = (changed: PlannedBulk) => ({
      ...plan,
      bulks: plan.bulks.map((each) => (each === bulk ? changed : each)),
    })
    const { items, twice, parts, lists: left, ...rest } = bulk
    const half = items.slice(0, Math.ceil(items.length / 2))
    if (items.length > 1) yield replacedBy({ ...bulk, items: half, twice: 0 })
    if (left !== undefined) yield replacedBy({ ...rest, items, twice, parts })
  }
}

/** One link less, one payment of a link, one of its optional members. */
function* withShorterLinks(plan: Plan): Generator<Plan> {
  const { links } = plan
  for (const link of links) {
    if (links.length > 1) yield { ...plan, links: without(links, link) }
    const replacedBy = (changed: PlannedLink) => ({
      ...plan,
      links: links.map((each) => (each === link ? changed : each)),
    })
    for (const payment of link.payments) {
      yield replacedBy({ ...link, payments: without(link.payments, payment) })
    }
    for (const member of ['revocation', 'repeats', 'isFido', 'isVerifiedByDfsp'] as const) {
      const { [member]: left, ...rest } = link
      if (left !== undefined) yield replacedBy(rest)
    }
  }
}

function without<T>(all: readonly T[], one: T): readonly T[] {
  return all.filter((each) => each !== one)
}
