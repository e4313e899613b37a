/** Judges held entries again until their key is known, or the time to wait for it is over. */
import { record } from '../recording.ts'
import { judged, type JudgedEntry } from './judging.ts'
import {
  entryIn,
  judgedByRecord,
  recordsIn,
  type AttributionParts,
  type Quarantined,
} from './set-aside.ts'
import { deleteUnattributed, heldEntries, lockHeld, quarantineHeld } from './store.ts'

const batch_max = 100

type JudgedAgain = JudgedEntry & { readonly contentHash: Buffer }

/** Decides about the oldest ones; none is decided while auth-service is away. */
export async function judgeHeld(parts: AttributionParts): Promise<void> {
  const now = new Date()
  const rows = await heldEntries(parts.db, batch_max)
  const all: readonly JudgedAgain[] = await Promise.all(
    rows.map(async (row) => {
      const entry = entryIn(row, parts.seal)
      const { contentHash, receivedAt } = row
      return { contentHash, ...(await judged(parts.judging, entry, receivedAt, now)) }
    }),
  )
  const decided = all.filter(({ verdict }) => verdict.type !== 'HOLD')
  if (decided.length === 0) return
  const quarantined = await parts.db.transaction((tx) => decide(tx, parts, decided, now))
  parts.onQuarantined(quarantined)
}

async function decide(
  tx: Parameters<typeof lockHeld>[0],
  parts: AttributionParts,
  decided: readonly JudgedAgain[],
  now: Date,
): Promise<readonly Quarantined[]> {
  const isHeld = await lockHeld(
    tx,
    decided.map(({ contentHash }) => contentHash),
  )
  const mine = decided.filter(({ contentHash }) => isHeld.has(contentHash.toString('hex')))
  const judgedAgain = judgedByRecord(mine, await record(tx, parts, recordsIn(mine)))
  const recorded = judgedAgain.filter(({ verdict }) => verdict.type === 'RECORD')
  await deleteUnattributed(
    tx,
    recorded.map(({ contentHash }) => contentHash),
  )
  const refused = judgedAgain.flatMap(({ contentHash, entry, verdict }) =>
    verdict.type === 'QUARANTINE'
      ? [{ contentHash, id: entry.id, source: entry.sourceBcName, reason: verdict.reason }]
      : [],
  )
  await quarantineHeld(tx, refused, now)
  return refused
}
