/** An operator who switches an FSP off and on again, and what may become of payments meanwhile. */
import { participantsService } from '@causeway/protos'
import type { Supervisor } from '../hub/supervisor.ts'
import { now_ms, rest } from '../virtual/world.ts'
import { actor, administer } from './administration.ts'
import type { SchemeChanges } from './changes.ts'
import type { Suspend, SwitchOff } from './plan/plan.ts'

/** A switch of an FSP, off or on: it took effect between these two moments. */
export interface Switched {
  readonly fsp: string
  readonly isActive: boolean
  readonly sent_ms: number
  readonly done_ms: number
  /** By a setting of the scheme, which each process takes over a moment later. */
  readonly isSetting?: true
}

const pause_ms = 200
/** What a state of FSPs permits, while an operator lets those pay that are suspended. */
const suspendedPay =
  'ACTIVE=TRANSFERS+FUNDS_IN+FUNDS_OUT;INACTIVE=;SUSPENDED=TRANSFERS+FUNDS_IN;CLOSED=FUNDS_OUT'
/** Without faults each process acts by a new setting within this time. */
const taken_over_ms = 2_000

export class Switches {
  readonly #supervisor: Supervisor
  #switched: Switched[] = []

  constructor(supervisor: Supervisor) {
    this.#supervisor = supervisor
  }

  /** Those since this was last asked. */
  takeSwitched(): readonly Switched[] {
    return this.#switched.splice(0)
  }

  async switchOff({ fsp, lasts_ms }: SwitchOff): Promise<void> {
    await this.#switch(fsp, false)
    await rest(lasts_ms)
    await this.#switch(fsp, true)
  }

  /** An FSP is suspended; for a while the scheme lets FSPs pay that are. */
  async suspend({ fsp, lasts_ms }: Suspend, changes: SchemeChanges): Promise<void> {
    await this.#toState(fsp, 'SUSPENDED')
    await this.#setStates(fsp, suspendedPay, changes)
    await rest(lasts_ms)
    await this.#setStates(fsp, null, changes)
    await rest(taken_over_ms)
    await this.#toState(fsp, 'ACTIVE')
  }

  async #toState(name: string, state: 'ACTIVE' | 'SUSPENDED'): Promise<void> {
    const isActive = state === 'ACTIVE'
    const sent_ms = now_ms()
    await this.#supervisor.ask(({ grpc }) =>
      grpc
        .client(participantsService, 'participant-lifecycle')
        .UpdateParticipantState({ name, isActive, stateName: state, actor }),
    )
    this.#switched.push({ fsp: name, isActive, sent_ms, done_ms: now_ms() })
  }

  async #setStates(fsp: string, states: string | null, changes: SchemeChanges): Promise<void> {
    const sent_ms = now_ms()
    await changes.set('PARTICIPANT_STATES', states)
    const isActive = states !== null
    this.#switched.push({ fsp, isActive, sent_ms, done_ms: now_ms(), isSetting: true })
  }

  async #switch(fsp: string, isActive: boolean): Promise<void> {
    const sent_ms = now_ms()
    for (;;) {
      const path = `/participants/${fsp}`
      const { status } = await administer(this.#supervisor, 'PUT', path, { isActive })
      if (status === 200) break
      await rest(pause_ms)
    }
    this.#switched.push({ fsp, isActive, sent_ms, done_ms: now_ms() })
  }
}

/** When switches took effect, where a process may be late with a setting: with faults for any time. */
export function inEffect(
  switched: readonly Switched[],
  { isUndisturbed }: { readonly isUndisturbed: boolean },
): readonly Switched[] {
  const late_ms = isUndisturbed ? taken_over_ms : Infinity
  return switched.map((each) =>
    each.isSetting ? { ...each, done_ms: each.done_ms + late_ms } : each,
  )
}

interface TimedPayment {
  readonly payer: string
  readonly payee: string
  /** When its request was sent, and when its end was announced. */
  readonly from_ms: number
  readonly to_ms: number
}

/** Whether the ledger may have found one of the two FSPs off. */
export function mayBeOff(
  { payer, payee, from_ms, to_ms }: TimedPayment,
  switched: readonly Switched[],
): boolean {
  return [payer, payee].some((fsp) => {
    const { offs, ons } = switchesOf(fsp, switched)
    return offs.some(
      (off) =>
        off.sent_ms <= to_ms &&
        !ons.some((on) => off.done_ms <= on.sent_ms && on.done_ms < from_ms),
    )
  })
}

/** Whether it must have: no operator may have switched the FSP on again by then. */
export function wasOff(
  { payer, payee, from_ms, to_ms }: TimedPayment,
  switched: readonly Switched[],
): boolean {
  return [payer, payee].some((fsp) => {
    const { offs, ons } = switchesOf(fsp, switched)
    return offs.some(
      (off) =>
        off.done_ms <= from_ms &&
        !ons.some((on) => off.sent_ms <= on.done_ms && on.sent_ms < to_ms),
    )
  })
}

/** Several operators may switch the same FSP at the same time. */
function switchesOf(fsp: string, switched: readonly Switched[]) {
  const own = switched.filter((each) => each.fsp === fsp)
  return {
    offs: own.filter(({ isActive }) => !isActive),
    ons: own.filter(({ isActive }) => isActive),
  }
}
