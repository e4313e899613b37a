/** The log over gRPC: it is read and verified; only events add to it. */
import type { EventBus } from '@causeway/bus'
import type { Seal } from '@causeway/keys/provider'
import { auditEntry, type AuditPayload } from '@causeway/events'
import type { Handlers } from '@causeway/grpc'
import type { Database, Queries, Transaction } from '@causeway/postgres'
import { present, type AuditQuery, type auditService } from '@causeway/protos'
import { isAnchorSigned, type Anchor, type AnchorStore } from './anchor.ts'
import { decryptedEntry } from './confidential.ts'
import { faultOfNamed, verifyAnchors } from './anchoring.ts'
import { entryMessage, filterOf, linkOf, pageOf, type ChainPageQuery } from './contract.ts'
import { faultsOf, origin, type Link } from './chain.ts'
import type { IsSigned } from './signing.ts'
import { findEntries, hashesAt, headOf, linksAfter, type HeadRow } from './store.ts'
import { newestVerification } from './verification/store.ts'

const faults_max = 100

export interface AuditParts {
  readonly db: Database
  readonly bus: EventBus
  /** Undefined: nothing is encrypted. */
  readonly seal: Seal | undefined
  readonly isSigned: IsSigned
  /** Empty: the log has no anchors. */
  readonly stores: readonly AnchorStore[]
}

export function serveAudit(parts: AuditParts): Handlers<typeof auditService> {
  const { db, isSigned } = parts
  return {
    async ListAuditEntries(query) {
      const rows = await findEntries(db, filterOf(query))
      return { entries: rows.map((row) => entryMessage(row, isSigned)) }
    },
    async ReadConfidentialEntries({ query, actor }) {
      if (!query) return { entries: [] }
      return db.transaction((tx) => readConfidential(tx, parts, query, actor))
    },
    async DescribeAuditLog() {
      return describe(parts)
    },
    async VerifyAuditChain(page) {
      const { last: _, ...report } = await db.transaction(
        (tx) => verifyPage(tx, pageOf(page), parts),
        { isolation: 'repeatable read', readOnly: true },
      )
      return report
    },
  }
}

/** Nothing is returned without the entry about it. */
async function readConfidential(
  tx: Transaction,
  { bus, seal, isSigned }: AuditParts,
  query: AuditQuery,
  actor: string,
) {
  const rows = await findEntries(tx, filterOf(query))
  // Names that begin with _ say which optional members are present.
  const given = Object.entries(query).filter(([name]) => !name.startsWith('_'))
  bus.announce(tx, [
    auditEntry('audit', {
      actor,
      action: 'ReadConfidentialEntries',
      subject: 'audit',
      before: null,
      after: { query: Object.fromEntries(given), entries: rows.length },
      at: new Date(),
    }),
  ])
  return {
    entries: rows.map((row) => {
      const message = entryMessage(row, isSigned)
      const entry = JSON.parse(message.entryJson) as AuditPayload
      return { ...message, entryJson: JSON.stringify(decryptedEntry(entry, seal)) }
    }),
  }
}

async function describe({ db, isSigned, stores }: AuditParts) {
  const head = await headOf(db)
  const anchor = await newestAnchor(stores)
  const verified = await newestVerification(db)
  return {
    lastN: String(head.n),
    lastHash: head.hash.toString('hex'),
    signatureValid: isHeadSigned(head, isSigned),
    ...present({ signedAt: head.signedAt?.toISOString(), kid: head.kid }),
    ...(anchor && { anchorN: String(anchor.n), anchoredAt: anchor.signedAt.toISOString() }),
    ...(verified === undefined
      ? {}
      : { verifiedAt: verified.finishedAt.toISOString(), verificationFaults: verified.faults }),
  }
}

/** Of all stores that answer. */
async function newestAnchor(stores: readonly AnchorStore[]): Promise<Anchor | undefined> {
  const read = await Promise.allSettled(stores.map((store) => store.last()))
  const anchors = read.flatMap((each) =>
    each.status === 'fulfilled' && each.value?.anchor !== undefined ? [each.value.anchor] : [],
  )
  return anchors.toSorted((one, other) => (one.n < other.n ? 1 : -1))[0]
}

export type VerifyParts = Pick<AuditParts, 'isSigned' | 'stores'>

/** One page of the chain; with the last one also the head, the anchors and the noted entry. */
export async function verifyPage(
  tx: Queries,
  { after, limit, noted }: ChainPageQuery,
  parts: VerifyParts,
) {
  const { isSigned } = parts
  const before = await linkAt(tx, after)
  const links = (await linksAfter(tx, after, limit)).map((row) => linkOf(row, isSigned))
  const faults = [...faultsOf(before ?? origin, links)]
  if (before === undefined) faults.unshift(`entry ${after} is missing`)
  const last = links.at(-1) ?? before ?? origin
  const isEnd = links.length < limit
  let anchors_checked = 0
  if (isEnd) {
    faults.push(...faultsOfHead(await headOf(tx), last, isSigned))
    if (noted !== undefined) faults.push(...(await faultsOfNote(tx, noted)))
    for (const store of parts.stores) {
      const anchors = await verifyAnchors(tx, store, isSigned, faults_max)
      anchors_checked += anchors.checked
      faults.push(...anchors.faults)
    }
  }
  return {
    checked: String(links.length),
    lastN: String(last.n),
    last,
    isEnd,
    faults: faults.slice(0, faults_max),
    anchorsChecked: String(anchors_checked),
  }
}

function faultsOfHead(head: HeadRow, last: Link, isSigned: IsSigned): readonly string[] {
  const faults: string[] = []
  if (head.n !== last.n || !head.hash.equals(last.hash)) {
    faults.push(`the log ends with entry ${last.n}, and entry ${head.n} was the last one`)
  }
  if (head.n > 0n && !isHeadSigned(head, isSigned)) {
    faults.push(`the head, entry ${head.n}, is not what was signed`)
  }
  return faults
}

function isHeadSigned({ n, hash, signedAt, kid, signature }: HeadRow, isSigned: IsSigned): boolean {
  if (signedAt === null || kid === null || signature === null) return false
  return isAnchorSigned({ n, hash, signedAt, kid, signature }, isSigned)
}

async function faultsOfNote(tx: Queries, noted: Link): Promise<readonly string[]> {
  const stored = (await hashesAt(tx, [noted.n])).get(noted.n)
  const fault = faultOfNamed(noted, stored, 'the question')
  return fault === undefined ? [] : [fault]
}

async function linkAt(tx: Queries, n: bigint): Promise<Link | undefined> {
  if (n === 0n) return origin
  const hash = (await hashesAt(tx, [n])).get(n)
  return hash === undefined ? undefined : { n, hash }
}
