/** The options of the bench from its flags, and which of them are less than the hub's default. */
import { parseArgs } from 'node:util'
import { disturbances, fspsWithFailing, type Disturbance } from './disturbances.ts'
import { overloads } from './overload.ts'

export const loads = ['uniform', 'hot', 'pair', 'many', 'bulk'] as const
export const algorithms = ['RS256', 'ES256'] as const
export const legNames = ['lookup', 'quote', 'transfer'] as const

/** Of the Third-Party API, each measured by itself. */
export const thirdPartyLegs = ['link', 'third-party-payment'] as const

export type LegName = (typeof legNames)[number]
export type ThirdPartyLeg = (typeof thirdPartyLegs)[number]
export type Load = (typeof loads)[number]

/** Bulks during the payments. */
export interface BulkOptions {
  readonly legs: readonly ('quote' | 'transfer')[]
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
  /** Replaces payments; undefined: payments. */
  readonly thirdParty: ThirdPartyLeg | undefined
  /** Only for the load of that name. */
  readonly bulk: BulkOptions | undefined
  /** How the hub identifies the sender; header: by the header alone, over plain http. */
  readonly identity: 'mtls' | 'header'
  /** How FSPs sign; undefined: nothing is signed or verified. */
  readonly signed: (typeof algorithms)[number] | undefined
  /** Further settings of the hub. */
  readonly settings: Readonly<Record<string, string>>
  /** Takes a CPU profile of the hub and names its largest functions. */
  readonly profile: boolean
  /**
   * Each service in processes of its own on Kafka, with this number of processes of each service
   * that a payment passes through; undefined: the hub in one process.
   */
  readonly apart: number | undefined
  /** The open settlement window is closed at this interval in seconds; undefined: never. */
  readonly closeWindows_s: number | undefined
  /** The disturbance in the second half of the measured payments; undefined: none. */
  readonly disturb: Disturbance | undefined
}

/** One or several runs, each on a hub of its own, and where their reports go. */
export interface BenchPlan {
  readonly runs: readonly BenchOptions[]
  readonly json: string | undefined
  /** A page with plots. */
  readonly html: string | undefined
  /** The runs are of the highest rate and beyond, and are judged together. */
  readonly overload: boolean
  /** An earlier report. */
  readonly compare: string | undefined
  /** A folder for the CPU profiles. */
  readonly profiles: string | undefined
}

export const usage = `npm run bench -- [flags]

Starts a hub with mutual TLS, signatures, stored quotes and fsync, and FSPs in a process
of their own. A payment is a lookup, a quote and a transfer, and counts once its payer FSP holds the
fulfilment. It begins by the clock, whether or not earlier ones have finished, and is measured from
that moment; the warm-up before and the payments after are not measured. Exit 0 only when every payment
was made, and the FSPs, the tables and POST /verify agree; else 1 with the faults.

  --payments N       measured payments (10000)
  --rate R[,R...]    begun per second (200); several: a run for each, on a hub of its own
  --load L           uniform: every FSP pays every other; hot: one pays 70 %; pair: one pays
                     everything to one other; many: uniform among 1,000 FSPs (uniform); bulk: what an item
                     of a bulk costs, and how bulks slow the --payments during them; exit 1 too when an
                     item costs 40 % of a payment or more, or their p99 is more than 1.5 times that alone
  --fsps N           FSPs that pay each other (8)
  --warmup N         payments before all others, at 100 per second whatever the rate, with --apart at
                     the rate but 20 per second at most (2000)
  --apart N          each service in a process of its own, N of each that a payment passes through, on
                     PostgreSQL and a Kafka broker (needs Java); otherwise the hub in one process
  --close-windows S  the operator closes the settlement window every S seconds, during the payments
  --disturb D        a disturbance in the second half of the measured payments: ill (three of five FSPs fail,
                     and two of three payments go to them), flood (one FSP sends as fast as it can), windows
                     (the operator closes the settlement window every second); exit 1 too when the
                     other payments are slowed more than allowed
  --overload         runs at --rate, at one and a half times and at twice of it; exit 1 too when less than
                     90 % of the most is made in one, its p99 is above 1.5 s, or, with --load hot, any
                     other FSP is refused anything. Choose a --rate that the hub barely makes
  --legs L           lookup,quote,transfer; or quote,transfer; or transfer (all three); or link: accounts
                     are linked by the web with a FIDO key; or third-party-payment: a PISP's user pays
                     from a linked account. Both take --payments, --warmup, --rate, --apart, --json,
                     --compare, the relaxations
  --items N          of a bulk (1000)
  --bulks N          one after the other, of which the cost of an item is taken (20)
  --bulk-rate R      begun per second during payments (1)
  --json FILE        write the report as JSON; of several runs a list
  --html FILE        write it as a page with plots
  --compare FILE     print the ratios to an earlier report (JSON)
  --profile          take a CPU profile of each process and name its largest functions; costs CPU itself
  --profiles FOLDER  the same, and store the profiles there

Each option that is less than the default is named in the report as a relaxation:

  --open-doors       plain http, FSPs are identified by their headers alone, nothing is signed
  --no-jws           nothing is signed or verified
  --jws-alg A        RS256, or ES256, which FSPs sign faster and the hub verifies slower (RS256)
  --set NAME=VALUE   a setting of the hub; may be repeated
`

const fspsOfMany = 1_000
const fsps_max = 5_000
/** Signed ahead, a payment takes about 10 KB of memory. */
const payments_max = 300_000
const rate_max = 100_000
const every_s_max = 3_600
/** FSPIOP 6.9.3.2. */
const items_max = 1_000
const bulks_max = 100
const apart_max = 16

const text = { type: 'string' } as const
const flag = { type: 'boolean', default: false } as const

/** Throws with one sentence about the first invalid flag. */
export function readOptions(args: readonly string[]): BenchPlan {
  const { values } = parseArgs({
    args: [...args],
    options: {
      payments: text,
      rate: text,
      load: { ...text, default: 'uniform' },
      fsps: text,
      items: text,
      bulks: text,
      'bulk-rate': text,
      warmup: text,
      legs: { ...text, default: legNames.join(',') },
      'open-doors': flag,
      'no-jws': flag,
      'jws-alg': { ...text, default: 'RS256' },
      apart: text,
      'close-windows': text,
      disturb: text,
      overload: flag,
      set: { ...text, multiple: true, default: [] },
      json: text,
      html: text,
      compare: text,
      profiles: text,
      profile: flag,
    },
  })
  const load = oneOf('load', loads, values.load)
  const disturb =
    values.disturb === undefined ? undefined : oneOf('disturb', disturbances, values.disturb)
  const algorithm = oneOf('jws-alg', algorithms, values['jws-alg'])
  const isOpen = values['open-doors']
  const thirdParty = thirdPartyLegs.find((leg) => leg === values.legs)
  refuseMeaningless(load, thirdParty, values)
  const legs = thirdParty === undefined ? legsOf(values.legs) : []
  const common: Omit<BenchOptions, 'rate'> = {
    payments: count('payments', values.payments, 10_000, payments_max),
    load,
    fsps: Math.max(
      disturb === undefined ? 2 : 3,
      count('fsps', values.fsps, fspsOf(load, disturb), fsps_max),
    ),
    warmup: count('warmup', values.warmup, 2_000, payments_max),
    legs,
    thirdParty,
    bulk: load === 'bulk' ? bulkOf(values, legs) : undefined,
    identity: isOpen ? 'header' : 'mtls',
    signed: isOpen || values['no-jws'] ? undefined : algorithm,
    settings: { ...settingsFor(load, legs), ...Object.fromEntries(values.set.map(setting)) },
    profile: values.profile || values.profiles !== undefined,
    apart: values.apart === undefined ? undefined : count('apart', values.apart, 1, apart_max),
    closeWindows_s: every('close-windows', values['close-windows']),
    disturb,
  }
  const given = (values.rate ?? '200').split(',').map((rate) => count('rate', rate, 200, rate_max))
  const rates = values.overload
    ? given.flatMap((rate) => overloads.map((times) => Math.round(rate * times)))
    : given
  const { json, html, compare, profiles } = values
  return {
    runs: rates.map((rate) => ({ ...common, rate })),
    overload: values.overload,
    json,
    html,
    compare,
    profiles,
  }
}

function fspsOf(load: Load, disturb: Disturbance | undefined): number {
  if (disturb === 'ill') return fspsWithFailing
  return load === 'many' ? fspsOfMany : 8
}

/** The settings that the hub is started with. */
export function hubSettings(options: BenchOptions): Readonly<Record<string, string>> {
  const jws = options.signed === undefined ? 'off' : 'on'
  return {
    LOG_LEVEL: 'warn',
    EDGE_IDENTITY: options.identity,
    JWS_VERIFY: jws,
    JWS_SIGN: jws,
    // Messages are signed before the load begins.
    JWS_DATE_WINDOW_S: '86400',
    ...options.settings,
  }
}

/** What was requested that makes the hub's work less than, or different from, its default. */
export function relaxations(options: BenchOptions): readonly string[] {
  const { identity, signed, legs, settings } = options
  return [
    ...(identity === 'mtls' ? [] : ['no TLS, no proof of identity']),
    ...(signed === undefined ? ['no JWS'] : []),
    ...(signed === 'ES256' ? ['JWS with ES256'] : []),
    ...(legs.length === 0 || legs.length === legNames.length ? [] : [`${legs.join(' + ')} alone`]),
    ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
  ]
}

/** The last one, two or three legs. */
function legsOf(given: string): readonly LegName[] {
  const choices = legNames.map((_, first) => legNames.slice(first))
  const found = choices.find((legs) => legs.join(',') === given)
  if (found !== undefined) return found
  const all = [...choices.map((legs) => legs.join(',')), ...thirdPartyLegs]
  throw new Error(`--legs is one of ${all.join('; ')}`)
}

/** The options that have no meaning with a leg of third parties. */
const ofPayments = ['fsps', 'close-windows', 'disturb', 'overload', 'html', 'profile', 'profiles']

const ofBulks = ['items', 'bulks', 'bulk-rate']

const notOfBulks = ['apart', 'close-windows', 'disturb', 'overload', 'html', 'compare']

function refuseMeaningless(
  load: Load,
  thirdParty: ThirdPartyLeg | undefined,
  values: Readonly<Record<string, unknown>>,
): void {
  if (thirdParty !== undefined) {
    if (load === 'bulk') throw new Error(`--load bulk has no meaning with --legs ${thirdParty}`)
    refuseOthers(`--legs ${thirdParty}`, ofPayments, values)
  }
  refuseOthers(`--load ${load}`, load === 'bulk' ? notOfBulks : ofBulks, values)
}

/** Bulks without a quote are paid all the same. */
function settingsFor(load: Load, legs: readonly LegName[]): Readonly<Record<string, string>> {
  return load === 'bulk' && !legs.includes('quote') ? { TRANSFERS_CHECK_BULK_QUOTES: 'off' } : {}
}

function refuseOthers(
  what: string,
  others: readonly string[],
  values: Readonly<Record<string, unknown>>,
): void {
  const given = others.find((name) => values[name] !== undefined && values[name] !== false)
  if (given !== undefined) throw new Error(`--${given} has no meaning with ${what}`)
}

function bulkOf(
  values: Readonly<{ items?: string; bulks?: string; 'bulk-rate'?: string }>,
  legs: readonly LegName[],
): BulkOptions {
  return {
    legs: legs.filter((leg) => leg !== 'lookup'),
    items: count('items', values.items, 1_000, items_max),
    bulks: count('bulks', values.bulks, 20, bulks_max),
    rate: count('bulk-rate', values['bulk-rate'], 1, bulks_max),
  }
}

function setting(given: string): readonly [string, string] {
  const at = given.indexOf('=')
  if (at < 1) throw new Error('--set takes NAME=VALUE')
  return [given.slice(0, at), given.slice(at + 1)]
}

function oneOf<Choice extends string>(
  flag: string,
  choices: readonly Choice[],
  given: string,
): Choice {
  const found = choices.find((choice) => choice === given)
  if (found === undefined) throw new Error(`--${flag} is one of ${choices.join(', ')}`)
  return found
}

function every(flag: string, given: string | undefined): number | undefined {
  return given === undefined ? undefined : count(flag, given, 1, every_s_max)
}

function count(flag: string, given: string | undefined, otherwise: number, max: number): number {
  const value = given === undefined ? otherwise : Number(given)
  if (!Number.isInteger(value) || value < 1 || value > max) {
    throw new Error(`--${flag} takes a whole number from 1 to ${max}`)
  }
  return value
}
