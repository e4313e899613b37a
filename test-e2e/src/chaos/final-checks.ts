/** The conditions that must hold after all faults have been undone, without any intervention. */
import { setTimeout as wait } from 'node:timers/promises'
import type { ApartHub } from '../hub/apart.ts'
import { processNames } from '../hub/services.ts'
import { position } from '../operator/operator.ts'
import type { EndedPayment, Load } from './load.ts'

export interface Before {
  /** The payer's position before the first payment. */
  readonly position: number
  readonly payer: string
}

const settle_ms_max = 120_000

/** One sentence for each condition that does not hold. */
export async function violationsAfter(
  hub: ApartHub,
  load: Load,
  before: Before,
): Promise<readonly string[]> {
  const violations: string[] = [...load.stopped]
  const ended = new Map(load.ended.map((each) => [each.transferId, each]))
  const lost = [...load.accepted].filter((id) => !ended.has(id))
  if (lost.length > 0)
    violations.push(`${lost.length} accepted transfers have no outcome: ${lost[0]}`)
  const paid = load.ended.filter(({ state }) => state === 'COMMITTED').length
  const moved = (await position(hub.operator, before.payer)) - before.position
  if (moved !== paid)
    violations.push(`the payer received the outcome of ${paid} payments and has paid ${moved}`)
  const differences = await settled(() => differencesOf(hub))
  if (differences !== undefined) violations.push(`verify: ${differences}`)
  const open = await settled(() => openTransfersOf(hub))
  if (open !== undefined) violations.push(`a transfer is not final: ${open}`)
  const unfinished = await settled(() => unfinishedIn(hub))
  if (unfinished !== undefined) violations.push(`work is unfinished: ${unfinished}`)
  return violations
}

/** Undefined as soon as nothing is wrong, else what is still wrong at the end of the time. */
async function settled(look: () => Promise<string | undefined>): Promise<string | undefined> {
  for (const late_ms = Date.now() + settle_ms_max; ; await wait(1_000)) {
    const wrong = await look()
    if (wrong === undefined || Date.now() > late_ms) return wrong
  }
}

async function differencesOf(hub: ApartHub): Promise<string | undefined> {
  const verified = (await hub.verify().catch((error: unknown) => error)) as { clean?: boolean }
  return verified.clean === true ? undefined : JSON.stringify(verified)
}

interface TransferPage {
  readonly transfers: readonly unknown[]
  readonly next: string | null
}

/** One transfer that is not final, of any payer. */
async function openTransfersOf(hub: ApartHub): Promise<string | undefined> {
  for (const state of ['RECEIVED', 'RESERVED']) {
    // A page may be empty although more follow: it reads a bounded number of transfers.
    for (let next: string | null = ''; next !== null;) {
      const after = next === '' ? '' : `&after=${encodeURIComponent(next)}`
      const { status, json } = await hub.operator.call('GET', `/transfers?state=${state}${after}`)
      if (status !== 200) return JSON.stringify(json)
      const found = json as TransferPage
      if (found.transfers.length > 0) return JSON.stringify(found.transfers[0])
      next = found.next
    }
  }
  return undefined
}

async function unfinishedIn(hub: ApartHub): Promise<string | undefined> {
  const busy: string[] = []
  for (const name of processNames) {
    const text = await hub.metricsOf(name).catch(() => undefined)
    if (text === undefined) busy.push(`${name} does not answer`)
    for (const [, labels, value] of (text ?? '').matchAll(/^bus_unfinished(\{[^}]*\}) (\S+)$/gm)) {
      if (Number(value) > 0) busy.push(`${name}${labels ?? ''} ${value ?? ''}`)
    }
  }
  return busy.length === 0 ? undefined : busy.join(', ')
}

export function p99_ms(
  ended: readonly EndedPayment[],
  from_ms: number,
  to_ms: number,
): number | undefined {
  const times = ended
    .filter(({ begun_ms }) => begun_ms >= from_ms && begun_ms < to_ms)
    .map(({ begun_ms, ended_ms }) => ended_ms - begun_ms)
    .toSorted((a, b) => a - b)
  return times[Math.min(times.length - 1, Math.floor(times.length * 0.99))]
}
