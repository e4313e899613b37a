/**
 * Operators outside of the hub: they close windows and settle them, move funds and switch FSPs off, and
 * repeat each step until it is done.
 */
import { randomUUID } from 'node:crypto'
import { settlementsService, type Settlement } from '@causeway/protos'
import type { Supervisor } from '../hub/supervisor.ts'
import { actor, administer } from './administration.ts'
import type { AuditedAct } from './oracle/audit-log.ts'
import { SchemeChanges } from './changes.ts'
import { rest } from '../virtual/world.ts'
import type { Model } from './plan/currencies.ts'
import { Funds } from './funds.ts'
import type { PlannedAct, Settle } from './plan/plan.ts'
import { Switches } from './switches.ts'

const pause_ms = 200
const creations_max = 10
const steps = [
  'PS_TRANSFERS_RECORDED',
  'PS_TRANSFERS_RESERVED',
  'PS_TRANSFERS_COMMITTED',
  'SETTLED',
] as const

interface SettlementCreation {
  readonly requestId: string
  readonly model: string
  readonly explanation: string
  readonly windowIds: number[]
  readonly actor: string
}

export class Operators {
  readonly funds: Funds
  readonly switches: Switches
  readonly changes: SchemeChanges
  readonly #supervisor: Supervisor
  #busy = 0
  #settled: Settlement[] = []
  #audited: AuditedAct[] = []

  constructor(supervisor: Supervisor) {
    this.#supervisor = supervisor
    this.funds = new Funds(supervisor, (act) => this.#audited.push(act))
    this.switches = new Switches(supervisor)
    this.changes = new SchemeChanges(supervisor, (act) => this.#audited.push(act))
  }

  /** Whether an act is under way. */
  isBusy(): boolean {
    return this.#busy > 0
  }

  /** What they have settled since this was last asked. */
  takeSettled(): readonly Settlement[] {
    return this.#settled.splice(0)
  }

  /** What has to be in the audit log since this was last asked. */
  takeAudited(): readonly AuditedAct[] {
    return this.#audited.splice(0)
  }

  async act(planned: PlannedAct): Promise<void> {
    this.#busy += 1
    await rest(planned.begins_ms)
    await this.#do(planned)
    this.#busy -= 1
  }

  async #do(planned: PlannedAct): Promise<void> {
    switch (planned.act) {
      case 'FUNDS_OUT':
        return this.funds.moveOut(planned)
      case 'SWITCH_OFF':
        return this.switches.switchOff(planned)
      case 'LOWER_CAP':
        return this.changes.lowerCap(planned)
      case 'END_FEES':
        return this.changes.endFees(planned.lasts_ms)
      case 'SUSPEND':
        return this.switches.suspend(planned, this.changes)
      case 'CLOSE_WINDOW':
      case 'SETTLE': {
        const windowId = await this.#closeWindow()
        if (planned.act === 'SETTLE' && windowId !== undefined) {
          await this.#settle(windowId, planned)
        }
      }
    }
  }

  /** Undefined: it has no payments. An answer that was lost leaves open who has closed it. */
  async #closeWindow(): Promise<number | undefined> {
    const windows = await administer(this.#supervisor, 'GET', '/settlementWindows?state=OPEN')
    const [open] = windows.json as readonly { readonly id: number }[]
    if (open === undefined) return undefined
    const path = `/settlementWindows/${open.id}`
    const closing = { state: 'CLOSED', reason: 'end of day' }
    await administer(this.#supervisor, 'POST', path, closing)
    const { json } = await administer(this.#supervisor, 'GET', path)
    if ((json as { readonly state: string }).state === 'OPEN') return undefined
    this.#note('CloseSettlementWindow', path.slice(1))
    return open.id
  }

  /** Once more from the beginning, if it is aborted. */
  async #settle(windowId: number, { model, aborts }: Settle): Promise<void> {
    if (aborts !== undefined) {
      const first = await this.#stepped(windowId, model, steps.slice(0, aborts))
      if (first === undefined) return
      await this.#abort(first)
    }
    const settlement = await this.#stepped(windowId, model, steps)
    if (settlement !== undefined) this.#settled.push(settlement)
  }

  /** A new settlement of the window after these steps; undefined: there is nothing to settle. */
  async #stepped(
    windowId: number,
    model: Model,
    states: readonly (typeof steps)[number][],
  ): Promise<Settlement | undefined> {
    const requestId = randomUUID()
    const creation = { requestId, model, explanation: 'daily', windowIds: [windowId], actor }
    // Refused while lines of the window are on their way, and for good when it has no transfers.
    let created = await this.#create(creation)
    for (let tries = 1; !created && tries < creations_max; tries++) {
      await rest(pause_ms)
      created = await this.#create({ ...creation, requestId: randomUUID() })
    }
    if (!created) return undefined
    this.#note('CreateSettlement', `settlements/${created.id}`)
    let settlement = created
    for (const state of states) settlement = await this.#step(settlement, state)
    return settlement
  }

  /** What it has moved is moved back, and its window can be settled again. */
  async #abort({ id: settlementId }: Settlement): Promise<void> {
    const abortion = { settlementId, explanation: 'wrong day', actor }
    for (;;) {
      const reached = await this.#supervisor.ask(async ({ grpc }) => {
        const settlements = grpc.client(settlementsService, 'settlements')
        return (await settlements.AbortSettlement(abortion)).settlement
      })
      if (reached?.state === 'ABORTED') return
      await rest(pause_ms)
    }
  }

  #note(action: string, subject: string): void {
    this.#audited.push({ action, subject })
  }

  #create(creation: SettlementCreation): Promise<Settlement | null | undefined> {
    return this.#supervisor.ask(async ({ grpc }) => {
      const settlements = grpc.client(settlementsService, 'settlements')
      return (await settlements.CreateSettlement(creation)).settlement
    })
  }

  /** Until the settlement is there: a step that was done before is refused, and that is fine. */
  async #step(settlement: Settlement, state: (typeof steps)[number]): Promise<Settlement> {
    const { id } = settlement
    const accounts = settlement.accounts.map(({ participantId, accountId }) => ({
      participantId,
      accountId,
      state,
      explanation: state,
    }))
    for (;;) {
      const reached = await this.#supervisor.ask(async ({ grpc }) => {
        const settlements = grpc.client(settlementsService, 'settlements')
        await settlements.UpdateSettlementAccounts({ settlementId: id, accounts, actor })
        return (await settlements.GetSettlement({ id })).settlement
      })
      if (reached?.state === state) return reached
      await rest(pause_ms)
    }
  }
}
