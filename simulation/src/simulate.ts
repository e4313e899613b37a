/** The command line of the simulation. */
import { parseArgs } from 'node:util'
import { planOf, type Plan } from './history/plan.ts'
import { openSimulation } from './history/simulation.ts'

const histories_default = 100

export async function simulate(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { seed: { type: 'string' }, histories: { type: 'string' }, only: { type: 'string' } },
  })
  const seed = Number(values.seed ?? 1)
  const simulation = await openSimulation(seed)
  const total = { histories: 0, transfers: 0, faults: 0 }
  const indexes =
    values.only === undefined
      ? range(Number(values.histories ?? histories_default))
      : [Number(values.only)]
  for (const index of indexes) {
    const plan = planOf(seed, index)
    const { wrong, transfers, faults } = await simulation.play(plan)
    total.histories += 1
    total.transfers += transfers
    total.faults += faults
    if (wrong.length === 0) continue
    report(seed, index, plan, wrong)
    return 1
  }
  print(
    `histories ${total.histories}, transfers ${total.transfers}, faults ${total.faults}, digest ${simulation.digest()}`,
  )
  return 0
}

function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index)
}

function report(seed: number, index: number, plan: Plan, wrong: readonly string[]): void {
  print(`WRONG: seed ${seed}, history ${index}`)
  for (const sentence of wrong) print(`  ${sentence}`)
  print(JSON.stringify(plan, undefined, 1))
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
