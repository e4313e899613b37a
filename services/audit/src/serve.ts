/** The log over gRPC: it is read and verified; only events add to it. */
import type { Handlers } from '@causeway/grpc'
import type { Database, Queries } from '@causeway/postgres'
import type { auditService } from '@causeway/protos'
import { entryMessage, filterOf, linkOf, pageOf } from './contract.ts'
import { faultsOf, origin, type Link } from './chain.ts'
import { openVerifier } from './signing.ts'
import { findEntries, hashAt, headOf, linksAfter, signingKeys } from './store.ts'

const faults_max = 100

export function serveAudit(db: Database): Handlers<typeof auditService> {
  return {
    async ListAuditEntries(query) {
      const rows = await findEntries(db, filterOf(query))
      const isSigned = openVerifier(await signingKeys(db))
      return { entries: rows.map((row) => entryMessage(row, isSigned)) }
    },
    async VerifyAuditChain(page) {
      const { after, limit } = pageOf(page)
      return db.transaction((tx) => verifyPage(tx, after, limit), {
        isolation: 'repeatable read',
        readOnly: true,
      })
    },
  }
}

async function verifyPage(tx: Queries, after: bigint, limit: number) {
  const isSigned = openVerifier(await signingKeys(tx))
  const before = await linkAt(tx, after)
  const links = (await linksAfter(tx, after, limit)).map((row) => linkOf(row, isSigned))
  const faults = [...faultsOf(before ?? origin, links)]
  if (before === undefined) faults.unshift(`entry ${after} is missing`)
  const last = links.at(-1) ?? before ?? origin
  const isEnd = links.length < limit
  const head = await headOf(tx)
  if (isEnd && (head.n !== last.n || !head.hash.equals(last.hash))) {
    faults.push(`the log ends with entry ${last.n}, and entry ${head.n} was the last one`)
  }
  return {
    checked: String(links.length),
    lastN: String(last.n),
    isEnd,
    faults: faults.slice(0, faults_max),
  }
}

async function linkAt(tx: Queries, n: bigint): Promise<Link | undefined> {
  if (n === 0n) return origin
  const hash = await hashAt(tx, n)
  return hash === undefined ? undefined : { n, hash }
}
