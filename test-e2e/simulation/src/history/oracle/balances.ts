/** What each FSP owes and what covers it, by what FSPs and operators have learned since the beginning. */
import { formatAmount, parseAmount, parseDecimal } from '@causeway/money'
import type { Settlement } from '@causeway/protos'
import type { Supervisor } from '../../hub/supervisor.ts'
import { itemAmount } from '../bulk-messages.ts'
import { committedItems } from './bulk-oracle.ts'
import type { BulkRecord } from '../bulks.ts'
import { accountTypesOf, currencies, paid, settled, type Currency } from '../plan/currencies.ts'
import { accountsOf, cover } from '../funds.ts'
import { isFunded } from './model.ts'
import { fsps } from '../plan/plan.ts'
import type { TransferRecord } from '../record.ts'

interface PaymentParties {
  readonly payer: string
  readonly payee: string
  readonly currency?: Currency
}

export class Balances {
  /** Debits less credits since the beginning, by currency, FSP and type. */
  readonly #values = new Map<string, bigint>()

  /** @param isFree whether it has no interchange fee, where others do */
  count({ payerEnds, planned }: TransferRecord, isFree: boolean): void {
    if (payerEnds.includes('COMMITTED')) this.#pay(planned, planned.amount, isFree)
  }

  countItems(bulk: BulkRecord): void {
    for (const _ of committedItems(bulk)) this.#pay(bulk.planned, itemAmount)
  }

  /** A settled net is not owed any more; together all nets are nothing. */
  settle({ id, model, accounts }: Settlement): readonly string[] {
    let sum = 0n
    for (const { participant, currency, net } of accounts) {
      const units = parseDecimal(net) ?? 0n
      sum += units
      for (const debit of settled(model, units)) {
        this.#add([currency, participant, debit.type], debit.units)
      }
    }
    return sum === 0n ? [] : [`the nets of settlement ${id} sum to ${formatAmount(sum)}`]
  }

  /** Where the balances of the ledger are others. */
  async compare(supervisor: Supervisor): Promise<readonly string[]> {
    const found: string[] = []
    for (const fsp of fsps) {
      const accounts = await supervisor.ask((process) => accountsOf(process, fsp))
      for (const currency of currencies) {
        const own = accounts.filter((account) => account.currency === currency)
        for (const type of accountTypesOf(currency)) {
          const account = own.find((each) => each.ledgerAccountType === type)
          const { value, reservedValue } = account ?? { value: 'unknown', reservedValue: 'unknown' }
          const wanted = formatAmount(this.#valueOf([currency, fsp, type]))
          const what = `${currency} ${type} of ${fsp}`
          if (value !== wanted) found.push(`${what} is ${value}, by what was learned ${wanted}`)
          if (reservedValue !== '0') found.push(`${what} still has ${reservedValue} reserved`)
        }
      }
    }
    return found
  }

  #valueOf(account: AccountKey): bigint {
    const [, fsp, type] = account
    const covered = type === 'SETTLEMENT' && isFunded(fsp) ? (parseAmount(cover) ?? 0n) : 0n
    return (this.#values.get(account.join()) ?? 0n) - covered
  }

  #pay({ payer, payee, currency = 'USD' }: PaymentParties, amount: string, isFree = false): void {
    for (const { type, units } of paid(currency, parseAmount(amount) ?? 0n)) {
      if (isFree && type === 'INTERCHANGE_FEE') continue
      this.#add([currency, payer, type], units)
      this.#add([currency, payee, type], -units)
    }
  }

  #add(account: AccountKey, units: bigint): void {
    this.#values.set(account.join(), (this.#values.get(account.join()) ?? 0n) + units)
  }
}

type AccountKey = readonly [currency: string, fsp: string, type: string]
