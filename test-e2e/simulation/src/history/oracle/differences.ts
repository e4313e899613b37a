/**
 * What `verify` of the services must find: nothing. It looks at everything that a hub has stored, so what it
 * may report lawfully of one history it reports after all later ones.
 */
import {
  consentsService,
  ledgerService,
  settlementReportsService,
  thirdPartyTransactionsService,
} from '@causeway/protos'
import type { Supervisor } from '../../hub/supervisor.ts'
import type { Plan } from '../plan/plan.ts'

const patient = { deadline_ms: 60_000 }
/** By the order of times that a clock has given. */
const misdated = /is VERIFIED, but consent .* was not in force/
/** Clocks of the hub differ by less. */
const clocks_ms_max = 1_000

export class Differences {
  /** What clocks that were wrong have dated in another order. */
  readonly #misdated = new Set<string>()

  /** Everything that is wrong, as sentences. */
  async judge(supervisor: Supervisor, { links, faults }: Plan): Promise<readonly string[]> {
    const found = [
      ...(await ofMoney(supervisor)),
      ...(links.length === 0 ? [] : await ofConsents(supervisor)),
    ]
    const isWrong = faults.some(
      (fault) => fault.type === 'CLOCK' && Math.abs(fault.ahead_ms) > clocks_ms_max,
    )
    if (isWrong) for (const each of found) if (misdated.test(each)) this.#misdated.add(each)
    return found.filter((each) => !this.#misdated.has(each)).map((each) => `verify: ${each}`)
  }
}

async function ofMoney(supervisor: Supervisor): Promise<readonly string[]> {
  const ledger = await supervisor.ask(({ grpc }) =>
    grpc.client(ledgerService, 'participant-lifecycle').VerifyLedger({}, patient),
  )
  const settlements = await supervisor.ask(({ grpc }) =>
    grpc.client(settlementReportsService, 'settlements').VerifySettlements({}, patient),
  )
  return [...ledger.differences, ...settlements.differences]
}

async function ofConsents(supervisor: Supervisor): Promise<readonly string[]> {
  const consents = await supervisor.ask(({ grpc }) =>
    grpc.client(consentsService, 'auth-service').VerifyConsents({}, patient),
  )
  const payments = await supervisor.ask(({ grpc }) =>
    grpc
      .client(thirdPartyTransactionsService, 'auth-service')
      .VerifyThirdPartyTransactions({}, patient),
  )
  return [...consents.differences, ...payments.differences]
}
