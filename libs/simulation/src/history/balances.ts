/** What each FSP owes and what covers it, by what FSPs and operators have learned since the beginning. */
import { formatAmount, parseAmount, parseDecimal } from '@causeway/money'
import type { Settlement } from '@causeway/protos'
import type { Supervisor } from '../hub/supervisor.ts'
import { committedItems } from './bulk-oracle.ts'
import { itemAmount, type BulkRecord } from './bulks.ts'
import { accountsOf, cover } from './funds.ts'
import { isFunded } from './model.ts'
import { fsps } from './plan.ts'
import type { TransferRecord } from './record.ts'

export class Balances {
  readonly #positions = new Map<string, bigint>()

  count({ payerEnds, planned: { payer, payee, amount } }: TransferRecord): void {
    if (payerEnds.includes('COMMITTED')) this.#pay(payer, payee, parseAmount(amount) ?? 0n)
  }

  countItems(bulk: BulkRecord): void {
    const { payer, payee } = bulk.planned
    this.#pay(payer, payee, BigInt(committedItems(bulk).size) * (parseAmount(itemAmount) ?? 0n))
  }

  /** A settled net is not owed any more; together all nets are nothing. */
  settle({ id, accounts }: Settlement): readonly string[] {
    let sum = 0n
    for (const { participant, net } of accounts) {
      const units = parseDecimal(net) ?? 0n
      sum += units
      add(this.#positions, participant, -units)
    }
    return sum === 0n ? [] : [`the nets of settlement ${id} sum to ${formatAmount(sum)}`]
  }

  /** Where the balances of the ledger are others. */
  async compare(supervisor: Supervisor): Promise<readonly string[]> {
    const found: string[] = []
    for (const fsp of fsps) {
      const owed = this.#positions.get(fsp) ?? 0n
      // A settlement moves nothing of it, since FSPs pay each other at their bank.
      const covered = isFunded(fsp) ? (parseAmount(cover) ?? 0n) : 0n
      const accounts = await supervisor.ask((process) => accountsOf(process, fsp))
      for (const [type, units] of [
        ['POSITION', owed],
        ['SETTLEMENT', -covered],
      ] as const) {
        const account = accounts.find((each) => each.ledgerAccountType === type)
        const { value, reservedValue } = account ?? { value: 'unknown', reservedValue: 'unknown' }
        const wanted = formatAmount(units)
        const what = `${type} of ${fsp}`
        if (value !== wanted) found.push(`${what} is ${value}, by what was learned ${wanted}`)
        if (reservedValue !== '0') found.push(`${what} still has ${reservedValue} reserved`)
      }
    }
    return found
  }

  #pay(payer: string, payee: string, units: bigint): void {
    add(this.#positions, payer, units)
    add(this.#positions, payee, -units)
  }
}

function add(balances: Map<string, bigint>, fsp: string, units: bigint): void {
  balances.set(fsp, (balances.get(fsp) ?? 0n) + units)
}
