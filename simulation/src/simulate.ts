/** The command line of the simulation. */
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { planOf, type Plan } from './history/plan.ts'
import { shrink } from './history/shrink.ts'
import { openSimulation, type Simulation } from './history/simulation.ts'
import { kept } from './kept.ts'

const usage = `npm run simulate -- [--seed N] [--histories M] [--only INDEX] [--plan FILE] [--no-shrink]

  --seed       of all histories (1)
  --histories  how many, after those that once failed (100)
  --only       one history of the seed, on a hub that is as new
  --plan       a history in a file of JSON
  --no-shrink  does not make a failing history shorter
`
const histories_default = 100
const tries_max = 60

interface Options {
  readonly seed: number
  readonly plans: readonly { readonly name: string; readonly plan: Plan }[]
  readonly shrinks: boolean
}

export async function simulate(args: string[]): Promise<number> {
  const options = await optionsIn(args)
  if (options === undefined) {
    process.stdout.write(usage)
    return 2
  }
  const { seed, plans, shrinks } = options
  const simulation = await openSimulation(seed)
  const total = { histories: 0, transfers: 0, faults: 0 }
  for (const { name, plan } of plans) {
    const { wrong, transfers, faults } = await simulation.play(plan)
    total.histories += 1
    total.transfers += transfers
    total.faults += faults
    if (wrong.length === 0) continue
    print(`WRONG: seed ${seed}, ${name}`)
    printAll(wrong)
    await simulation.close()
    await explain(seed, plan, shrinks)
    return 1
  }
  const { histories, transfers, faults } = total
  print(
    `histories ${histories}, transfers ${transfers}, faults ${faults}, seed ${seed}, digest ${simulation.digest()}`,
  )
  await simulation.close()
  return 0
}

async function optionsIn(args: string[]): Promise<Options | undefined> {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string', default: '1' },
      histories: { type: 'string', default: String(histories_default) },
      only: { type: 'string' },
      plan: { type: 'string' },
      'no-shrink': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const seed = Number(values.seed)
  const histories = Number(values.histories)
  const numbers = [seed, histories, Number(values.only ?? 0)]
  if (values.help || !numbers.every((each) => Number.isSafeInteger(each) && each >= 0))
    return undefined
  const shrinks = !values['no-shrink']
  const of = (index: number) => ({ name: `history ${index}`, plan: planOf(seed, index) })
  if (values.plan !== undefined) {
    const plan = JSON.parse(await readFile(values.plan, 'utf8')) as Plan
    return { seed, plans: [{ name: values.plan, plan }], shrinks }
  }
  if (values.only !== undefined) return { seed, plans: [of(Number(values.only))], shrinks }
  const fresh = Array.from({ length: histories }, (_, index) => of(index))
  return { seed, plans: [...kept, ...fresh], shrinks }
}

/** The shortest history that is wrong on a hub that is as new, if it is wrong there. */
async function explain(seed: number, plan: Plan, shrinks: boolean): Promise<void> {
  const wrong = shrinks ? await playAlone(seed, plan) : []
  if (wrong.length === 0) {
    if (shrinks) print('On a hub that is as new it is right: it takes the histories before it.')
    print(JSON.stringify(plan))
    return
  }
  const fails = async (shorter: Plan) => (await playAlone(seed, shorter)).length > 0
  const shortest = await shrink(plan, fails, tries_max)
  print('The shortest history that is wrong:')
  print(JSON.stringify(shortest))
  printAll(await playAlone(seed, shortest))
}

async function playAlone(seed: number, plan: Plan): Promise<readonly string[]> {
  let simulation: Simulation | undefined
  try {
    simulation = await openSimulation(seed)
    return (await simulation.play(plan)).wrong
  } finally {
    await simulation?.close()
  }
}

const sentences_max = 20

function printAll(sentences: readonly string[]): void {
  for (const sentence of sentences.slice(0, sentences_max)) print(`  ${sentence}`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
