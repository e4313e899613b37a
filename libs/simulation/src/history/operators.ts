/**
 * Operators outside of the hub: they close windows and settle them, move funds and switch FSPs off, and
 * repeat each step until it is done.
 */
import { randomUUID } from 'node:crypto'
import { settlementsService, type Settlement } from '@causeway/protos'
import type { Supervisor } from '../hub/supervisor.ts'
import { actor, administer } from './administration.ts'
import type { AuditedAct } from './audit-log.ts'
import { rest } from '../virtual/world.ts'
import { Funds } from './funds.ts'
import type { PlannedAct } from './plan.ts'
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
  readonly reason: string
  readonly windowIds: number[]
  readonly actor: string
}

export class Operators {
  readonly funds: Funds
  readonly switches: Switches
  readonly #supervisor: Supervisor
  #busy = 0
  #settled: Settlement[] = []
  #audited: AuditedAct[] = []

  constructor(supervisor: Supervisor) {
    this.#supervisor = supervisor
    this.funds = new Funds(supervisor, (act) => this.#audited.push(act))
    this.switches = new Switches(supervisor)
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
    if (planned.act === 'FUNDS_OUT') await this.funds.moveOut(planned)
    else if (planned.act === 'SWITCH_OFF') await this.switches.switchOff(planned)
    else {
      const windowId = await this.#closeWindow()
      if (planned.act === 'SETTLE' && windowId !== undefined) await this.#settle(windowId)
    }
    this.#busy -= 1
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

  async #settle(windowId: number): Promise<void> {
    const requestId = randomUUID()
    const creation = {
      requestId,
      model: 'DEFERREDNET',
      reason: 'daily',
      windowIds: [windowId],
      actor,
    }
    // Refused while lines of the window are on their way, and for good when it has no transfers.
    let created = await this.#create(creation)
    for (let tries = 1; !created && tries < creations_max; tries++) {
      await rest(pause_ms)
      created = await this.#create({ ...creation, requestId: randomUUID() })
    }
    if (!created) return
    this.#note('CreateSettlement', `settlements/${created.id}`)
    let settlement = created
    for (const state of steps) settlement = await this.#step(settlement, state)
    this.#settled.push(settlement)
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
      reason: state,
      externalReference: '',
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
