/**
 * What must be right where caps and fees are changed meanwhile: each payment is reserved by the cap that
 * applies then, and has the fee that it was reserved with, whatever applies when it ends.
 */
import { parseDecimal } from '@causeway/money'
import { ledgerService, type LedgerRecord } from '@causeway/protos'
import type { Supervisor } from '../../hub/supervisor.ts'
import { usualCap, type Changed } from '../changes.ts'
import { paid } from '../plan/currencies.ts'
import { inForce } from './in-force.ts'
import type { TransferRecord } from '../record.ts'

export interface JudgedChanges {
  /** Everything that is wrong, as sentences. */
  readonly wrong: readonly string[]
  /** The ids of payments that a cap has refused. */
  readonly capped: ReadonlySet<string>
  /** The ids of payments that have no fee, since there was none when they were reserved. */
  readonly free: ReadonlySet<string>
}

export async function judgeChanges(
  supervisor: Supervisor,
  records: readonly TransferRecord[],
  changed: Changed,
): Promise<JudgedChanges> {
  const wrong: string[] = []
  const capped = new Set<string>()
  const free = new Set<string>()
  const { caps, fees } = changed
  if (caps.length + fees.length === 0) return { wrong, capped, free }
  for (const record of records) {
    const { id, planned } = record
    const entry = await entryOf(supervisor, id)
    wrong.push(...judgeCap(record, entry, changed))
    if (entry.entry?.reason === 'CAP_SHORT') capped.add(id)
    if (planned.currency !== 'EUR') continue
    wrong.push(...judgeFee(record, entry, await entryOf(supervisor, `fee-${id}`), changed))
    if (feeIn(entry) === undefined) free.add(id)
  }
  return { wrong, capped, free }
}

/** The facts that it was decided on are those that applied, and the decision follows from them. */
function judgeCap(
  { id, planned: { payer, currency = 'USD' } }: TransferRecord,
  { entry, facts }: LedgerRecord,
  { caps }: Changed,
): readonly string[] {
  const own = caps.filter((cap) => cap.fsp === payer && cap.currency === currency)
  if (own.length === 0 || !entry || !facts) return []
  const right = inForce(Date.parse(entry.createdAt), usualCap, own)
  const found: string[] = []
  if (!right.has(facts.cap)) {
    found.push(`${id} was decided by the cap ${facts.cap}; right: ${[...right].join(' or ')}`)
  }
  const [position, cover, cap, amount] = [facts.position, facts.cover, facts.cap, entry.amount].map(
    (text) => parseDecimal(text ?? '') ?? 0n,
  ) as [bigint, bigint, bigint, bigint]
  const isShort = position + amount <= cover && position + amount > cap
  if (isShort !== (entry.reason === 'CAP_SHORT')) {
    found.push(`${id} is ${entry.outcome} ${entry.reason} with ${JSON.stringify(facts)}`)
  }
  return found
}

function judgeFee(
  { id, planned: { amount } }: TransferRecord,
  reserved: LedgerRecord,
  posted: LedgerRecord,
  { fees }: Changed,
): readonly string[] {
  const { entry } = reserved
  if (!entry || entry.outcome === 'REFUSED' || entry.amount === undefined) return []
  const wanted = paid('EUR', parseDecimal(amount) ?? 0n).find(isFee)?.units ?? 0n
  const fee = feeIn(reserved)
  const found: string[] = []
  const right = inForce(Date.parse(entry.createdAt), true, fees)
  if (wanted > 0n && !right.has(fee !== undefined)) {
    found.push(`${id} was reserved with the fee ${fee}`)
  }
  if (fee !== undefined && fee !== wanted) found.push(`${id} was reserved with the fee ${fee}`)
  const owed = parseDecimal(posted.entry?.amount ?? '')
  const due = entry.outcome === 'POSTED' ? fee : undefined
  if (owed !== due) found.push(`${id} has ended with the fee ${owed}, was reserved with ${fee}`)
  return found
}

function isFee({ type }: ReturnType<typeof paid>[number]): boolean {
  return type === 'INTERCHANGE_FEE'
}

/** Which was reserved with a payment; undefined: none. */
function feeIn({ journal }: LedgerRecord): bigint | undefined {
  const line = journal.find(({ step }) => step === 'FEE_RESERVE')
  return line && (parseDecimal(line.amount) ?? undefined)
}

function entryOf(supervisor: Supervisor, id: string): Promise<LedgerRecord> {
  return supervisor.ask(({ grpc }) =>
    grpc.client(ledgerService, 'participant-lifecycle').GetLedgerRecord({ id }),
  )
}
