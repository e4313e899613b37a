/**
 * An operator of the hub's bank, outside of the hub: takes money of an FSP out, or changes its mind, and
 * brings back what has left. Each instruction is repeated with its id until it is answered.
 */
import { randomUUID } from 'node:crypto'
import { parseAmount } from '@causeway/money'
import { fundsService, participantsService, type FundsMovement } from '@causeway/protos'
import type { AuditedAct } from './oracle/audit-log.ts'
import type { HubProcess } from '../hub/process.ts'
import type { Supervisor } from '../hub/supervisor.ts'
import { chance, rest } from '../virtual/world.ts'
import type { FundsOut } from './plan/plan.ts'

/** In which operators move funds. */
const usual = 'USD'
/** What each FSP with funds has brought in. */
export const cover = '10000'
const actor = 'operator'
const explanation = 'liquidity'
const pause_ms_max = 500

/** For `ManageFundsCreditDebitPairInstruction` and `RecordFundsOutPrepareReserve`. */
export function instructionOf(
  name: string,
  accountId: number,
  amount: string,
  currency: string = usual,
) {
  const transferId = randomUUID()
  const externalReference = 'bank 1'
  return { transferId, name, accountId, amount, currency, externalReference, explanation }
}

/** With their balances, in all currencies. */
export async function accountsOf({ grpc }: Pick<HubProcess, 'grpc'>, name: string) {
  const participants = grpc.client(participantsService, 'participant-lifecycle')
  const { balances } = await participants.RequestAccountsPositions({ name })
  return balances?.accounts ?? []
}

export async function settlementAccountOf(
  process: Pick<HubProcess, 'grpc'>,
  name: string,
  currency: string = usual,
) {
  const accounts = await accountsOf(process, name)
  return accounts.find(
    (each) => each.ledgerAccountType === 'SETTLEMENT' && each.currency === currency,
  )
}

export class Funds {
  readonly #supervisor: Supervisor
  readonly #note: (act: AuditedAct) => void
  /** What is surely held or has left, by FSP. */
  readonly #out = new Map<string, bigint>()
  #wrong: string[] = []

  /** @param note gets each movement that was done */
  constructor(supervisor: Supervisor, note: (act: AuditedAct) => void) {
    this.#supervisor = supervisor
    this.#note = note
  }

  /** What was wrong since this was last asked. */
  takeWrong(): readonly string[] {
    return this.#wrong.splice(0)
  }

  async moveOut({ fsp, amount, ends }: FundsOut): Promise<void> {
    const accountId = await this.#accountId(fsp)
    const instruction = instructionOf(fsp, accountId, amount)
    const isTaken =
      ends === 'AT_ONCE'
        ? await this.#manage('WITHDRAWAL', instruction)
        : await this.#hold(instruction)
    if (!isTaken) return
    const units = parseAmount(amount) ?? 0n
    this.#count(fsp, units)
    await rest(chance().below(pause_ms_max))
    if (ends !== 'AT_ONCE') await this.#end(instruction, ends)
    // From now on it may be there again.
    this.#count(fsp, -units)
    if (ends === 'ABORT') return
    const back = instructionOf(fsp, accountId, amount)
    if (!(await this.#manage('DEPOSIT', back))) this.#wrong.push(`${fsp} could not bring funds in`)
  }

  /** What has left is covered by what was there. */
  #count(fsp: string, units: bigint): void {
    const out = (this.#out.get(fsp) ?? 0n) + units
    this.#out.set(fsp, out)
    if (out > (parseAmount(cover) ?? 0n)) this.#wrong.push(`${fsp} took out more than it had`)
  }

  #accountId(fsp: string): Promise<number> {
    return this.#supervisor.ask(async (process) => {
      const account = await settlementAccountOf(process, fsp)
      if (account === undefined) throw new Error(`${fsp} has no account`)
      return account.id
    })
  }

  /** In one step; whether it was done. */
  async #manage(
    kind: 'DEPOSIT' | 'WITHDRAWAL',
    instruction: ReturnType<typeof instructionOf>,
  ): Promise<boolean> {
    const isDone = await this.#supervisor.ask(async ({ grpc }) => {
      const participants = grpc.client(participantsService, 'participant-lifecycle')
      const done = await participants.ManageFundsCreditDebitPairInstruction({
        ...instruction,
        kind,
        actor,
      })
      return !done.refusal
    })
    const action = kind === 'DEPOSIT' ? 'recordFundsIn' : 'recordFundsOut'
    if (isDone) this.#note({ action, subject: subjectOf(instruction) })
    return isDone
  }

  async #hold(instruction: ReturnType<typeof instructionOf>): Promise<boolean> {
    const held = await this.#supervisor.ask(async ({ grpc }) => {
      const funds = grpc.client(fundsService, 'participant-lifecycle')
      return (
        await funds.RecordFundsOutPrepareReserve({
          ...instruction,
          kind: 'WITHDRAWAL',
          actor,
        })
      ).movement
    })
    const isHeld = held?.state === 'RESERVED'
    const action = 'recordFundsOutPrepareReserve'
    if (isHeld) this.#note({ action, subject: subjectOf(instruction) })
    return isHeld
  }

  /** What is held can always be ended, once. */
  async #end(
    instruction: ReturnType<typeof instructionOf>,
    ends: 'COMMIT' | 'ABORT',
  ): Promise<void> {
    const { transferId, name, accountId } = instruction
    const completion = { transferId, name, accountId, explanation, actor }
    const movement = await this.#supervisor.ask(
      async ({ grpc }): Promise<FundsMovement | null | undefined> => {
        const funds = grpc.client(fundsService, 'participant-lifecycle')
        const answer =
          ends === 'COMMIT'
            ? await funds.RecordFundsOutCommit(completion)
            : await funds.RecordFundsOutAbort(completion)
        return answer.movement
      },
    )
    const wanted = ends === 'COMMIT' ? 'COMMITTED' : 'ABORTED_REJECTED'
    const action = ends === 'COMMIT' ? 'recordFundsOutCommit' : 'recordFundsOutAbort'
    if (movement?.state === wanted) this.#note({ action, subject: subjectOf(instruction) })
    else this.#wrong.push(`the funds ${transferId} are ${movement?.state}; right: ${wanted}`)
  }
}

function subjectOf({ name, transferId }: ReturnType<typeof instructionOf>): string {
  return `participants/${name}/funds/${transferId}`
}
