/**
 * What must be right about the audit log: the whole of it verifies, and each act of an operator is in it
 * once.
 */
import { auditService } from '@causeway/protos'
import type { Supervisor } from '../hub/supervisor.ts'

/** An act that the hub has answered as done. */
export interface AuditedAct {
  readonly action: string
  readonly subject: string
}

const patient = { deadline_ms: 60_000 }
const page = 5_000

export class AuditLog {
  /** The last entry that was verified; what comes later is verified from there. */
  #verified = '0'

  /** Everything that is wrong, as sentences. */
  async judge(supervisor: Supervisor, acts: readonly AuditedAct[]): Promise<readonly string[]> {
    const found: string[] = []
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
    for (const { action, subject } of acts) {
      const count = await entriesOf(supervisor, { action, subject })
      if (count !== 1) found.push(`${action} of ${subject} is in the audit log ${count} times`)
    }
    return found
  }
}

async function entriesOf(
  supervisor: Supervisor,
  act: { readonly action: string; readonly subject: string },
): Promise<number> {
  const rest = { source: '', actor: '', labelKey: '', labelValue: '', from: '', to: '' }
  const { entries } = await supervisor.ask(({ grpc }) =>
    grpc
      .client(auditService, 'audit')
      .ListAuditEntries({ ...rest, ...act, beforeN: '', limit: 10 }, patient),
  )
  return entries.length
}
