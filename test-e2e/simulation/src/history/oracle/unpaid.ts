/**
 * What settlements have left unpaid is no cover until funds out pay it. Known exactly, unless funds leave
 * while a settlement is committed: then it is known within bounds, and from the ledger afterwards.
 */
import { formatAmount, parseAmount, parseDecimal } from '@causeway/money'
import { liquidityService, type Settlement } from '@causeway/protos'
import type { Supervisor } from '../../hub/supervisor.ts'
import { fsps, type Plan } from '../plan/plan.ts'

/** Only in this currency a net is paid through the bank of the hub. */
const currency = 'USD'
const model = 'DEFERREDNET'

interface Bounds {
  readonly least: bigint
  readonly most: bigint
}

export class Unpaid {
  readonly #units = new Map<string, bigint>()

  /** Everything that is wrong, as sentences. */
  async judge(
    supervisor: Supervisor,
    { acts }: Pick<Plan, 'acts'>,
    settlements: readonly Settlement[],
  ): Promise<readonly string[]> {
    const found: string[] = []
    for (const fsp of fsps) {
      const out = acts.filter((act) => act.act === 'FUNDS_OUT' && act.fsp === fsp)
      const amounts = out.map((act) => ('amount' in act ? (parseAmount(act.amount) ?? 0n) : 0n))
      const isPaid = out.some((act) => 'ends' in act && act.ends !== 'ABORT')
      const { least, most } = this.#boundsOf(fsp, amounts, isPaid, netsOf(fsp, settlements))
      const excluded = await excludedOf(supervisor, fsp)
      this.#units.set(fsp, excluded)
      if (excluded >= least && excluded <= most) continue
      const right = least === most ? formatAmount(least) : `up to ${formatAmount(most)}`
      found.push(`${fsp} has ${formatAmount(excluded)} of its cover excluded; right: ${right}`)
    }
    return found
  }

  /** What is held when the first part arises belongs to what is unpaid, since it is for something else. */
  #boundsOf(fsp: string, out: readonly bigint[], isPaid: boolean, nets: readonly bigint[]): Bounds {
    const before = this.#units.get(fsp) ?? 0n
    const after = nets.reduce((sum, net) => sum + net, before)
    if (out.length === 0 || (nets.length === 0 && !isPaid)) return { least: after, most: after }
    return { least: 0n, most: out.reduce((sum, amount) => sum + amount, after) }
  }
}

/** Those that the FSP has to pay. */
function netsOf(fsp: string, settlements: readonly Settlement[]): readonly bigint[] {
  return settlements
    .filter((settlement) => settlement.model === model)
    .flatMap(({ accounts }) => accounts.filter(({ participant }) => participant === fsp))
    .map(({ net }) => parseDecimal(net) ?? 0n)
    .filter((net) => net > 0n)
}

async function excludedOf(supervisor: Supervisor, name: string): Promise<bigint> {
  const position = await supervisor.ask(async ({ grpc }) => {
    const liquidity = grpc.client(liquidityService, 'participant-lifecycle')
    return (await liquidity.GetCurrentLiquidityPosition({ name, currency })).position
  })
  return parseDecimal(position?.excluded ?? '') ?? -1n
}
