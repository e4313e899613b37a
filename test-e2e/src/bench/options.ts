/** What the bench is asked to do, from its flags. */
import { parseArgs } from 'node:util'

export const loads = ['uniform', 'hot', 'pair'] as const

export interface BenchOptions {
  readonly transfers: number
  /** Transfers that are begun per second, whether or not earlier ones have finished. */
  readonly rate: number
  /** uniform: every FSP pays every other; hot: one pays 70 %; pair: one pays everything to one. */
  readonly load: (typeof loads)[number]
  readonly fsps: number
  /** Transfers before the measured ones. */
  readonly warmup: number
  /** Where the report goes as JSON. */
  readonly json: string | undefined
  /** Writes a CPU profile of the hub and names its largest functions. */
  readonly profile: boolean
}

export const usage = `npm run bench -- [flags]
  --transfers N   measured transfers (20000)
  --rate R        begun per second, open loop (400)
  --load L        ${loads.join(', ')} (uniform)
  --fsps N        FSPs that pay each other (8)
  --warmup N      transfers before the measured ones (2000)
  --json FILE     write the report as JSON
  --profile       take a CPU profile of the hub and name its largest functions
`

export function readOptions(args: readonly string[]): BenchOptions {
  const number = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      transfers: number,
      rate: number,
      load: { type: 'string', default: 'uniform' },
      fsps: number,
      warmup: number,
      json: { type: 'string' },
      profile: { type: 'boolean', default: false },
    },
  })
  const load = loads.find((name) => name === values.load)
  if (load === undefined) throw new Error(`--load is one of ${loads.join(', ')}`)
  return {
    transfers: count('transfers', values.transfers, 20_000),
    rate: count('rate', values.rate, 400),
    load,
    fsps: Math.max(2, count('fsps', values.fsps, 8)),
    warmup: count('warmup', values.warmup, 2_000),
    json: values.json,
    profile: values.profile,
  }
}

function count(name: string, given: string | undefined, otherwise: number): number {
  const value = given === undefined ? otherwise : Number(given)
  if (!Number.isInteger(value) || value < 1)
    throw new Error(`--${name} takes a whole number from 1`)
  return value
}
