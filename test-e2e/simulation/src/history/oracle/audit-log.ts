/**
 * What must be right about the audit log: the whole of it verifies, and each act of an operator is in it
 * once.
 */
import { auditService } from '@causeway/protos'
import type { Supervisor } from '../../hub/supervisor.ts'

/** An act that the hub has answered as done. */
export interface AuditedAct {
  readonly action: string
  readonly subject: string
  /** The same may be done again, to the same subject. */
  readonly isOneOfMany?: true
}

const patient = { deadline_ms: 60_000 }
const page = 5_000

export class AuditLog {
  /** The last entry that was verified; what comes later is verified from there. */
  #verified = '0'

  /** Everything that is wrong, as sentences. */
  async judge(supervisor: Supervisor, acts: readonly AuditedAct[]): Promise<readonly string[]> {
    const found: string[] = []
    const before = this.#verified
    for (;;) {
      const report = await supervisor.ask(({ grpc }) =>
        grpc
          .client(auditService, 'audit')
          .VerifyAuditChain({ afterN: this.#verified, limit: page }, patient),
      )
      found.push(...report.faults.map((fault) => `the audit log: ${fault}`))
      this.#verified = report.lastN
      if (report.isEnd) break
    }
    for (const { action, subject, isOneOfMany } of acts) {
      const from = isOneOfMany ? before : '0'
      const count = await entriesAfter(from, supervisor, { action, subject })
      const right = isOneOfMany ? acts.filter((act) => isSame(act, { action, subject })).length : 1
      if (count !== right) {
        found.push(`${action} of ${subject} is in the audit log ${count} times, not ${right}`)
      }
    }
    return [...new Set(found)]
  }
}

function isSame(one: AuditedAct, other: AuditedAct): boolean {
  return one.action === other.action && one.subject === other.subject
}

/** @param n only those with greater numbers count */
async function entriesAfter(n: string, supervisor: Supervisor, act: AuditedAct): Promise<number> {
  const { entries } = await supervisor.ask(({ grpc }) =>
    grpc.client(auditService, 'audit').ListAuditEntries({ ...act, limit: 10 }, patient),
  )
  return entries.filter((entry) => BigInt(entry.n) > BigInt(n)).length
}
