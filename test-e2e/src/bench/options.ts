/** The options of the bench from its flags, and which of them are less than the hub's default. */
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { otherHub, windows_min, type Against } from './against/options.ts'
import { overloads } from './overload.ts'

export const loads = ['uniform', 'hot', 'bulk', 'link', 'third-party-payment'] as const
export const legNames = ['lookup', 'quote', 'transfer'] as const

export type LegName = (typeof legNames)[number]
export type Load = (typeof loads)[number]

/** Bulks, and during payments. */
export interface BulkOptions {
  /** Items of each bulk. */
  readonly items: number
  /** Bulks one after the other. */
  readonly bulks: number
  /** Bulks begun per second during payments. */
  readonly rate: number
}

export interface BenchOptions {
  /** Payments that are measured. */
  readonly payments: number
  /** Payments begun per second, whether or not earlier ones have finished. */
  readonly rate: number
  readonly load: Load
  readonly fsps: number
  /** Payments before the measured ones, at a rate of their own. */
  readonly warmup: number
  /** The parts of a payment, in this order; the transfer is always the last. */
  readonly legs: readonly LegName[]
  /** Only for that load. */
  readonly bulk: BulkOptions
  /** Further settings of the hub. */
  readonly settings: Readonly<Record<string, string>>
  /** A folder for CPU profiles of the hub's processes; undefined: none are taken. */
  readonly profiles: string | undefined
  /**
   * Each service in processes of its own on Kafka, with this number of processes of each service
   * that a payment passes through; undefined: the hub in one process.
   */
  readonly apart: number | undefined
  /**
   * The same in groups, with this number of processes of the path; undefined: each service alone, or the hub in
   * one process.
   */
  readonly groups: number | undefined
  /** Another checkout of this repository, whose programs are started; undefined: this one's. */
  readonly checkout: string | undefined
  /** Whether the processes count what they exchange and allocate. */
  readonly counts: boolean
}

/** As tables call the hub. */
export function layoutName({ apart, groups, checkout }: BenchOptions): string {
  const alone = apart === undefined ? 'embedded' : `apart, ${apart} of each`
  const layout = groups === undefined ? alone : `groups, ${groups} paths`
  return checkout === undefined ? layout : `${basename(checkout)}, ${layout}`
}

/** One or several runs, each on a hub of its own, and where their reports go. */
export interface BenchPlan {
  readonly runs: readonly BenchOptions[]
  readonly json: string | undefined
  /** The runs are of the highest rate and beyond, and are judged together. */
  readonly overload: boolean
  /** Each run is of two hubs, in turns. */
  readonly against: Against | undefined
}

export const usage = `npm run bench -- [flags]

Starts a hub with mutual TLS, signatures, stored quotes and fsync, and FSPs in a process
of their own. A payment is a lookup, a quote and a transfer, and counts once its payer FSP holds the
fulfilment. It begins by the clock, whether or not earlier ones have finished, and is measured from
that moment; the warm-up before and the payments after are not measured. Exit 0 only when every payment
was made, and the FSPs, the tables and POST /verify agree; else 1 with the faults.

  --payments N       measured payments (10000)
  --rate R[,R...]    begun per second (200); several: a run for each, on a hub of its own
  --load L           uniform: every FSP pays every other; hot: one pays 70 %; bulk: what an item of a
                     bulk costs, and how bulks slow the --payments during them, exit 1 too when an item
                     costs 40 % of a payment or more, or their p99 is more than 1.5 times that alone;
                     link: accounts are linked by the web with a FIDO key; third-party-payment: a PISP's
                     user pays from a linked account (uniform)
  --fsps N           FSPs that pay each other (8)
  --warmup N         payments before all others, at 100 per second whatever the rate, with --apart at
                     the rate but 20 per second at most (2000)
  --apart N          each service in a process of its own, N of each that a payment passes through, on
                     PostgreSQL and a Kafka broker (needs Java); otherwise the hub in one process
  --against HUB      measures two hubs in turns and prints the ratio of each figure: embedded, apart, groups, or
                     the folder of another checkout of this repository (built there)
  --windows N        of each hub; fewer than 12 give no verdict (12)
  --window S         seconds of a window (10)
  --groups N         services in groups on the same, with N processes of those that a payment passes through
  --overload         runs at --rate, at one and a half times and at twice of it; exit 1 too when less than
                     90 % of the most is made in one, its p99 is above 1.5 s, or, with --load hot, any
                     other FSP is refused anything. Choose a --rate that the hub barely makes
  --items N          of a bulk (1000)
  --bulks N          one after the other, of which the cost of an item is taken (20)
  --bulk-rate R      begun per second during payments (1)
  --json FILE        write the report as JSON; of several runs a list
  --profiles FOLDER  take a CPU profile of each process of the hub, for the DevTools of a browser; costs
                     CPU itself

Each option that is less than the default is named in the report as a relaxation:

  --legs L           quote,transfer; or transfer (lookup,quote,transfer)
  --set NAME=VALUE   a setting of the hub; may be repeated
`

const fsps_max = 5_000
/** Signed ahead, a payment takes about 10 KB of memory. */
const payments_max = 300_000
const rate_max = 100_000
/** FSPIOP 6.9.3.2. */
const items_max = 1_000
const bulks_max = 100
const apart_max = 16
const windows_max = 200
const window_s_max = 120

const text = { type: 'string' } as const
const flag = { type: 'boolean', default: false } as const

const ofPayments = ['overload', 'against', 'fsps', 'legs']
const ofBulks = ['items', 'bulks', 'bulk-rate']
/** The flags that have no meaning with a load. */
const meaningless: Readonly<Record<Load, readonly string[]>> = {
  uniform: ofBulks,
  hot: ofBulks,
  bulk: ['apart', 'groups', 'overload', 'against', 'legs'],
  link: [...ofPayments, ...ofBulks],
  'third-party-payment': [...ofPayments, ...ofBulks],
}

/** Throws with one sentence about the first invalid flag. */
export function readOptions(args: readonly string[]): BenchPlan {
  const { values } = parseArgs({
    args: [...args],
    options: {
      payments: text,
      rate: text,
      load: text,
      fsps: text,
      warmup: text,
      legs: text,
      items: text,
      bulks: text,
      'bulk-rate': text,
      apart: text,
      groups: text,
      overload: flag,
      set: { ...text, multiple: true, default: [] },
      json: text,
      against: text,
      windows: text,
      window: text,
      profiles: text,
    },
  })
  const load = loadOf(values.load ?? 'uniform')
  refuseMeaningless(load, values)
  const { profiles, json, overload } = values
  const common: Omit<BenchOptions, 'rate'> = {
    payments: count('payments', values.payments, 10_000, payments_max),
    load,
    fsps: Math.max(2, count('fsps', values.fsps, 8, fsps_max)),
    warmup: count('warmup', values.warmup, 2_000, payments_max),
    legs: legsOf(values.legs ?? legNames.join(',')),
    bulk: {
      items: count('items', values.items, 1_000, items_max),
      bulks: count('bulks', values.bulks, 20, bulks_max),
      rate: count('bulk-rate', values['bulk-rate'], 1, bulks_max),
    },
    settings: Object.fromEntries(values.set.map(setting)),
    profiles,
    apart: values.apart === undefined ? undefined : count('apart', values.apart, 1, apart_max),
    groups: values.groups === undefined ? undefined : count('groups', values.groups, 1, apart_max),
    checkout: undefined,
    counts: values.against !== undefined,
  }
  const given = (values.rate ?? '200').split(',').map((rate) => count('rate', rate, 200, rate_max))
  const rates = overload
    ? given.flatMap((rate) => overloads.map((times) => Math.round(rate * times)))
    : given
  return {
    runs: rates.map((rate) => ({ ...common, rate })),
    overload,
    json,
    against: values.against === undefined ? undefined : againstOf(values.against, common, values),
  }
}

function againstOf(
  hub: string,
  layout: Pick<BenchOptions, 'apart' | 'groups'>,
  {
    windows,
    window,
  }: { readonly windows?: string | undefined; readonly window?: string | undefined },
): Against {
  return {
    other: otherHub(hub, layout),
    windows: count('windows', windows, windows_min, windows_max),
    window_s: count('window', window, 10, window_s_max),
  }
}

/** Whether it is a load of a PISP, not of payments between FSPs. */
export function isOfPisp(load: Load): boolean {
  return load === 'link' || load === 'third-party-payment'
}

/** The settings that the hub is started with. */
export function hubSettings({ settings }: BenchOptions): Readonly<Record<string, string>> {
  return {
    LOG_LEVEL: 'warn',
    EDGE_IDENTITY: 'mtls',
    JWS_VERIFY: 'on',
    JWS_SIGN: 'on',
    // Messages are signed before the load begins.
    JWS_DATE_WINDOW_S: '86400',
    ...settings,
  }
}

/** What was requested that makes the hub's work less than, or different from, its default. */
export function relaxations({ legs, settings, profiles }: BenchOptions): readonly string[] {
  return [
    ...(legs.length === legNames.length ? [] : [`${legs.join(' + ')} alone`]),
    ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
    ...(profiles === undefined ? [] : ['CPU profiles taken']),
  ]
}

function loadOf(given: string): Load {
  const found = loads.find((load) => load === given)
  if (found === undefined) throw new Error(`--load is one of ${loads.join(', ')}`)
  return found
}

/** The last one, two or three legs. */
function legsOf(given: string): readonly LegName[] {
  const choices = legNames.map((_, first) => legNames.slice(first))
  const found = choices.find((legs) => legs.join(',') === given)
  if (found !== undefined) return found
  throw new Error(`--legs is one of ${choices.map((legs) => legs.join(',')).join('; ')}`)
}

function refuseMeaningless(load: Load, values: Readonly<Record<string, unknown>>): void {
  const given = meaningless[load].find(
    (name) => values[name] !== undefined && values[name] !== false,
  )
  if (given !== undefined) throw new Error(`--${given} has no meaning with --load ${load}`)
}

function setting(given: string): readonly [string, string] {
  const at = given.indexOf('=')
  if (at < 1) throw new Error('--set takes NAME=VALUE')
  return [given.slice(0, at), given.slice(at + 1)]
}

function count(name: string, given: string | undefined, otherwise: number, max: number): number {
  const value = given === undefined ? otherwise : Number(given)
  if (!Number.isInteger(value) || value < 1 || value > max) {
    throw new Error(`--${name} takes a whole number from 1 to ${max}`)
  }
  return value
}
