/**
 * Operators who change what applies while payments are under way: the net debit cap of an FSP, interchange
 * fees, what a state of FSPs permits. Afterwards everything applies again as before.
 */
import { randomUUID } from 'node:crypto'
import { formatAmount, parseAmount, parseDecimal } from '@causeway/money'
import type { Supervisor } from '../hub/supervisor.ts'
import { now_ms, rest } from '../virtual/world.ts'
import { administer } from './administration.ts'
import type { AuditedAct } from './oracle/audit-log.ts'
import type { Currency } from './plan/currencies.ts'
import { accountsOf } from './funds.ts'
import type { Setting } from './oracle/in-force.ts'
import type { LowerCap } from './plan/plan.ts'

/** Of each FSP in each currency, as it was onboarded. */
export const usualCap = '10000'
/** The model of interchange fees. */
const feeModel = 'FEES'
/** The other person, who decides about values of settings. */
const approver = 'approver'
const service = 'participant-lifecycle'
const pause_ms = 200

export interface Cap extends Setting<string> {
  readonly fsp: string
  readonly currency: Currency
}

/** Whether payments have interchange fees. */
export type Fees = Setting<boolean>

export interface Changed {
  readonly caps: readonly Cap[]
  readonly fees: readonly Fees[]
}

export class SchemeChanges {
  readonly #supervisor: Supervisor
  readonly #note: (act: AuditedAct) => void
  #caps: Cap[] = []
  #fees: Fees[] = []

  /** @param note gets each change that was made */
  constructor(supervisor: Supervisor, note: (act: AuditedAct) => void) {
    this.#supervisor = supervisor
    this.#note = note
  }

  /** What was changed since this was last asked. */
  take(): Changed {
    return { caps: this.#caps.splice(0), fees: this.#fees.splice(0) }
  }

  /** The FSP that owes most may owe only so much more for a while. */
  async lowerCap({ currency, room, lasts_ms }: LowerCap): Promise<void> {
    const { fsp, owes } = await this.#debtorIn(currency)
    await this.#setCap(fsp, currency, formatAmount(owes + (parseAmount(room) ?? 0n)))
    await rest(lasts_ms)
    await this.#setCap(fsp, currency, usualCap)
  }

  /** Payments that are reserved meanwhile have no fee. */
  async endFees(lasts_ms: number): Promise<void> {
    await this.#setFees(false)
    await rest(lasts_ms)
    await this.#setFees(true)
  }

  /**
   * Sets a setting of participant-lifecycle, which two operators do.
   *
   * @param value null: the default
   */
  async set(name: string, value: string | null): Promise<void> {
    const requestId = randomUUID()
    await this.#until(async () => {
      const path = `/config/schemas/${service}`
      const { json } = await administer(this.#supervisor, 'GET', path)
      const { schemaVersion, iterationNumber } = json as {
        readonly schemaVersion: string
        readonly iterationNumber: number
      }
      const newValues = [{ name, value }]
      const request = { requestId, schemaVersion, iterationNumber, newValues }
      const { status } = await administer(this.#supervisor, 'POST', path, request)
      return status === 202
    })
    await this.#until(async () => {
      const decision = { requestId, decision: 'APPROVE' }
      const path = '/ApproveConfigurationValues'
      return (await administer(this.#supervisor, 'POST', path, decision, approver)).status === 200
    })
    const subject = `configurations/${service}`
    for (const action of ['ChangeConfigurationValues', 'ApproveConfigurationValues']) {
      this.#note({ action, subject, isOneOfMany: true })
    }
  }

  async #setCap(fsp: string, currency: Currency, value: string): Promise<void> {
    const limit = { type: 'NET_DEBIT_CAP', value }
    const moments = await this.#put(`/participants/${fsp}/limits`, { currency, limit })
    this.#caps.push({ fsp, currency, value, ...moments })
    const subject = `participants/${fsp}`
    this.#note({ action: 'UpdateParticipantAccountLimit', subject, isOneOfMany: true })
  }

  async #setFees(isActive: boolean): Promise<void> {
    const path = `/settlementModels/${feeModel}`
    const moments = await this.#put(path, { isActive })
    this.#fees.push({ value: isActive, ...moments })
    this.#note({ action: 'UpdateSettlementModel', subject: path.slice(1), isOneOfMany: true })
  }

  async #put(path: string, body: object): Promise<Pick<Setting<unknown>, 'sent_ms' | 'done_ms'>> {
    const sent_ms = now_ms()
    await this.#until(
      async () => (await administer(this.#supervisor, 'PUT', path, body)).status === 200,
    )
    return { sent_ms, done_ms: now_ms() }
  }

  async #until(isDone: () => Promise<boolean>): Promise<void> {
    while (!(await isDone())) await rest(pause_ms)
  }

  /** One of the two that pay each other, and what it owes. */
  async #debtorIn(currency: Currency): Promise<{ readonly fsp: string; readonly owes: bigint }> {
    const [mango, river] = await Promise.all([
      this.#positionOf('mango', currency),
      this.#positionOf('river', currency),
    ])
    const [fsp, owes] = mango > river ? ['mango', mango] : ['river', river]
    return { fsp, owes: owes > 0n ? owes : 0n }
  }

  async #positionOf(fsp: string, currency: Currency): Promise<bigint> {
    const accounts = await this.#supervisor.ask((process) => accountsOf(process, fsp))
    const isIt = (account: (typeof accounts)[number]) =>
      account.ledgerAccountType === 'POSITION' && account.currency === currency
    return parseDecimal(accounts.find(isIt)?.value ?? '') ?? 0n
  }
}
