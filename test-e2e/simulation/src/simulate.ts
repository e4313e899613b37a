/** The command line of the simulation. */
import { hash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { planOf, type Plan } from './history/plan/plan.ts'
import { shrink } from './history/plan/shrink.ts'
import { makeScheme, openSimulation } from './history/simulation.ts'
import { kept } from './kept.ts'

const usage = `npm run simulate -- [--seed N] [--histories M] [--from INDEX] [--only INDEX] [--plan FILE]
                    [--distributed] [--no-shrink] [--log]

  --seed       of all histories (1)
  --histories  how many, after those that once failed (100)
  --from       the first of them (0); each 500 are played on a new hub
  --only       one history of the seed, on a new hub
  --plan       a history in a file of JSON
  --distributed  on two replicas of each service over Kafka, instead of a hub in one process
  --no-shrink  does not make a failing history shorter
  --log        shows what the hub logs from level warn on

npm run simulate -- --make-scheme FILE makes the database of the scheme, and plays nothing.
`
const histories_default = 100
const tries_max = 40
/** On one hub: what it verifies takes longer with every history. */
const round_max = 500

interface NamedPlan {
  readonly name: string
  readonly plan: Plan
}

interface Options {
  readonly scheme: string | undefined
  readonly seed: number
  /** Each is played on a hub of its own. */
  readonly rounds: Iterable<readonly NamedPlan[]>
  readonly isDistributed: boolean
  readonly shrinks: boolean
  readonly logs: boolean
}

export async function simulate(args: string[]): Promise<number> {
  const options = await optionsIn(args)
  if (options === undefined) {
    process.stdout.write(usage)
    return 2
  }
  const { scheme, seed, rounds, isDistributed, shrinks, logs } = options
  if (scheme !== undefined) {
    writeFileSync(scheme, await makeScheme())
    return 0
  }
  let playing = `seed ${seed}, the start`
  process.on('uncaughtException', (error) => {
    print(`WRONG: ${playing}`)
    print(`  nobody has caught: ${error.stack}`)
    process.exit(1)
  })
  const showLog = (line: string) => void (logs && process.stderr.write(line))
  const total = { histories: 0, transfers: 0, links: 0, faults: 0 }
  const digests: string[] = []
  for (const round of rounds) {
    const simulation = await openSimulation(seed, { isDistributed, showLog })
    for (const { name, plan } of round) {
      playing = `seed ${seed}, ${name}`
      const { wrong, transfers, links, faults } = await simulation.play(plan)
      total.histories += 1
      total.transfers += transfers
      total.links += links
      total.faults += faults
      if (wrong.length === 0) continue
      print(`WRONG: ${playing}`)
      printAll(wrong)
      await simulation.close()
      if (shrinks) await explain({ seed, isDistributed }, plan)
      else print(JSON.stringify(plan))
      return 1
    }
    digests.push(simulation.digest())
    await simulation.close()
  }
  const { histories, transfers, links, faults } = total
  print(
    `histories ${histories}, transfers ${transfers}, links ${links}, faults ${faults}, seed ${seed}, digest ${digestOf(digests)}`,
  )
  return 0
}

/** Of one hub its own; of several in their order. */
function digestOf(digests: readonly string[]): string {
  const [first = '', ...others] = digests
  return others.length === 0 ? first : hash('sha256', digests.join('\n'))
}

async function optionsIn(args: string[]): Promise<Options | undefined> {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string', default: '1' },
      histories: { type: 'string', default: String(histories_default) },
      from: { type: 'string', default: '0' },
      only: { type: 'string' },
      plan: { type: 'string' },
      'no-shrink': { type: 'boolean', default: false },
      distributed: { type: 'boolean', default: false },
      'make-scheme': { type: 'string' },
      log: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const seed = Number(values.seed)
  const histories = Number(values.histories)
  const from = Number(values.from)
  const numbers = [seed, histories, from, Number(values.only ?? 0)]
  if (values.help || !numbers.every((each) => Number.isSafeInteger(each) && each >= 0))
    return undefined
  const scheme = values['make-scheme']
  const isDistributed = values.distributed
  const flags = { scheme, isDistributed, shrinks: !values['no-shrink'], logs: values.log }
  if (scheme !== undefined) return { seed, rounds: [], ...flags }
  const of = (index: number) => ({
    name: `history ${index}`,
    plan: planOf(seed, index, isDistributed),
  })
  if (values.plan !== undefined) {
    const plan = JSON.parse(await readFile(values.plan, 'utf8')) as Plan
    return { seed, rounds: [[{ name: values.plan, plan }]], ...flags }
  }
  if (values.only !== undefined) return { seed, rounds: [[of(Number(values.only))]], ...flags }
  const old = kept.filter((each) => each.isDistributed === isDistributed)
  return { seed, rounds: roundsOf(from === 0 ? old : [], { from, histories }, of), ...flags }
}

function* roundsOf(
  first: readonly NamedPlan[],
  { from, histories }: { readonly from: number; readonly histories: number },
  of: (index: number) => NamedPlan,
): Generator<readonly NamedPlan[]> {
  for (let begin = 0; begin === 0 || begin < histories; begin += round_max) {
    const length = Math.min(round_max, histories - begin)
    const round = Array.from({ length }, (_, n) => of(from + begin + n))
    yield begin === 0 ? [...first, ...round] : round
  }
}

type Hub = Pick<Options, 'seed' | 'isDistributed'>

/** The shortest history that is wrong on a new hub, if this one is wrong there. */
async function explain(hub: Hub, plan: Plan): Promise<void> {
  if ((await playAlone(hub, plan)).length === 0) {
    print(
      'On a new hub it is right: it takes the histories before it, from the last multiple of 500 on.',
    )
    print(JSON.stringify(plan))
    return
  }
  const fails = async (shorter: Plan) => (await playAlone(hub, shorter)).length > 0
  const shortest = await shrink(plan, fails, tries_max)
  print('The shortest history that is wrong, for --plan:')
  print(JSON.stringify(shortest))
  printAll(await playAlone(hub, shortest))
}

async function playAlone({ seed, isDistributed }: Hub, plan: Plan): Promise<readonly string[]> {
  const simulation = await openSimulation(seed, { isDistributed })
  const { wrong } = await simulation.play(plan)
  await simulation.close()
  return wrong
}

const sentences_max = 20

function printAll(sentences: readonly string[]): void {
  for (const sentence of sentences.slice(0, sentences_max)) print(`  ${sentence}`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
