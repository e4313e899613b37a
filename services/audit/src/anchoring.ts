/**
 * Anchors the log again and again: each anchor is stored only if the log still contains the entry that
 * the one before names, so that a log that was changed or cut off gets no new anchor but raises an alarm.
 */
import type { Queries } from '@causeway/postgres'
import {
  anchorOf,
  isAnchorSigned,
  UnreadableAnchors,
  type Anchor,
  type AnchorLine,
  type AnchorStore,
} from './anchor.ts'
import type { Link } from './chain.ts'
import type { IsSigned, Signer } from './signing.ts'
import { hashesAt, headOf } from './store.ts'

export interface AnchoringParts {
  readonly db: Queries
  readonly store: AnchorStore
  readonly signer: Signer
  readonly isSigned: IsSigned
}

/** Stores an anchor of the head if it moved; returns what is wrong with the log, if anything is. */
export async function anchorHead(parts: AnchoringParts, now: Date): Promise<string | undefined> {
  const { db, store, signer, isSigned } = parts
  const last = await store.last()
  const [fault] = last === undefined ? [] : await faultsOfLines(db, [last], isSigned)
  if (fault !== undefined) return fault
  const { n, hash } = await headOf(db)
  if (n === 0n || n === last?.anchor?.n) return undefined
  if (!(await hashesAt(db, [n])).get(n)?.equals(hash)) return `the head names entry ${n} wrongly`
  await store.append(anchorOf({ n, hash }, signer, now))
  return undefined
}

const lines_per_query = 1_000

/** Compares every anchor with the log, at most `faults_max` sentences. */
export async function verifyAnchors(
  db: Queries,
  store: AnchorStore,
  isSigned: IsSigned,
  faults_max: number,
): Promise<{ readonly checked: number; readonly faults: readonly string[] }> {
  const faults: string[] = []
  let checked = 0
  let batch: AnchorLine[] = []
  const check = async () => {
    faults.push(...(await faultsOfLines(db, batch, isSigned)))
    checked += batch.length
    batch = []
  }
  try {
    for await (const each of store.lines()) {
      if (batch.push(each) === lines_per_query) await check()
      if (faults.length >= faults_max) break
    }
  } catch (error) {
    if (!(error instanceof UnreadableAnchors)) throw error
    faults.push(`the anchors cannot be read: ${error.message}`)
  }
  await check()
  return { checked, faults: faults.slice(0, faults_max) }
}

async function faultsOfLines(
  db: Queries,
  lines: readonly AnchorLine[],
  isSigned: IsSigned,
): Promise<readonly string[]> {
  const anchors = lines.flatMap(({ anchor }) => (anchor === undefined ? [] : [anchor]))
  const hashes = await hashesAt(
    db,
    anchors.map(({ n }) => n),
  )
  return lines.flatMap(({ name, anchor }) => {
    if (anchor === undefined || !isAnchorSigned(anchor, isSigned)) {
      return [`${name} of the anchors is not signed by a trusted key`]
    }
    const fault = faultOfNamed(anchor, hashes.get(anchor.n), `the anchor of ${timeOf(anchor)}`)
    return fault === undefined ? [] : [fault]
  })
}

const timeOf = ({ signedAt }: Anchor) => signedAt.toISOString()

/** Compares an entry that `by` names with the stored one. */
export function faultOfNamed(
  { n, hash }: Link,
  stored: Buffer | undefined,
  by: string,
): string | undefined {
  if (stored === undefined) return `entry ${n}, which ${by} names, is missing`
  return stored.equals(hash) ? undefined : `entry ${n} is not the one that ${by} names`
}
