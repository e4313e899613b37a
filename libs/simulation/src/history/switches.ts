/** An operator who switches an FSP off and on again, and what may become of payments meanwhile. */
import type { Supervisor } from '../hub/supervisor.ts'
import { now_ms, rest } from '../virtual/world.ts'
import { administer } from './administration.ts'
import type { SwitchOff } from './plan.ts'

/** How long an FSP may have been off, and how long it surely was. */
export interface Off {
  readonly fsp: string
  readonly mayBegin_ms: number
  readonly begins_ms: number
  readonly ends_ms: number
  readonly mayEnd_ms: number
}

const pause_ms = 200

export class Switches {
  readonly #supervisor: Supervisor
  #offs: Off[] = []

  constructor(supervisor: Supervisor) {
    this.#supervisor = supervisor
  }

  /** Those since this was last asked. */
  takeOffs(): readonly Off[] {
    return this.#offs.splice(0)
  }

  async switchOff({ fsp, lasts_ms }: SwitchOff): Promise<void> {
    const mayBegin_ms = now_ms()
    await this.#switch(fsp, false)
    const begins_ms = now_ms()
    await rest(lasts_ms)
    const ends_ms = now_ms()
    await this.#switch(fsp, true)
    this.#offs.push({ fsp, mayBegin_ms, begins_ms, ends_ms, mayEnd_ms: now_ms() })
  }

  async #switch(name: string, isActive: boolean): Promise<void> {
    for (;;) {
      const { status } = await administer(this.#supervisor, 'PUT', `/participants/${name}`, {
        isActive,
      })
      if (status === 200) return
      await rest(pause_ms)
    }
  }
}

interface Payment {
  readonly payer: string
  readonly payee: string
  /** When its request was sent, and when its end was announced. */
  readonly from_ms: number
  readonly to_ms: number
}

/** Whether the ledger may have found one of the two FSPs off. */
export function mayBeOff({ payer, payee, from_ms, to_ms }: Payment, offs: readonly Off[]): boolean {
  return offs.some(
    ({ fsp, mayBegin_ms, mayEnd_ms }) =>
      (fsp === payer || fsp === payee) && mayBegin_ms <= to_ms && from_ms <= mayEnd_ms,
  )
}

/** Whether it must have. */
export function wasOff({ payer, payee, from_ms, to_ms }: Payment, offs: readonly Off[]): boolean {
  return offs.some(
    ({ fsp, begins_ms, ends_ms }) =>
      (fsp === payer || fsp === payee) && begins_ms <= from_ms && to_ms <= ends_ms,
  )
}
