/** A settlement model: when, between whom and through which accounts transfers are settled. */
import { isCurrency, parseAmount } from '@causeway/money'
import { refuse, type RefusedBy } from '@causeway/services'
import { Cron } from 'croner'

export const granularities = ['GROSS', 'NET'] as const
export const interchanges = ['BILATERAL', 'MULTILATERAL'] as const
export const delays = ['IMMEDIATE', 'DEFERRED'] as const
export const ledgerAccountTypes = ['POSITION', 'INTERCHANGE_FEE', 'SETTLEMENT'] as const
export const settlementAccountTypes = ['SETTLEMENT', 'INTERCHANGE_FEE_SETTLEMENT'] as const

export type Granularity = (typeof granularities)[number]
export type Interchange = (typeof interchanges)[number]
export type Delay = (typeof delays)[number]
export type LedgerAccountType = (typeof ledgerAccountTypes)[number]
export type SettlementAccountType = (typeof settlementAccountTypes)[number]

/** A model that may be created. */
export interface Draft {
  readonly name: string
  readonly granularity: Granularity
  readonly interchange: Interchange
  readonly delay: Delay
  /** Empty: the default model of currencies that have none of their own. */
  readonly currency: string
  readonly requireLiquidityCheck: boolean
  readonly ledgerAccountType: LedgerAccountType
  readonly settlementAccountType: SettlementAccountType
  readonly autoPositionReset: boolean
  /**
   * Of INTERCHANGE_FEE models that are settled later: what the payer's FSP owes the payee's of each
   * transfer, in ten-thousandths of a percent; null: nothing.
   */
  readonly feePercentage: bigint | null
  /**
   * Of DEFERRED models: when the open window is closed, in UTC; empty: not any more; null: never
   * was.
   */
  readonly windowCron: string | null
}

export interface Model extends Draft {
  readonly id: number
  readonly isActive: boolean
}

/** A requested model, not validated. */
export type Proposal = {
  readonly [Key in Exclude<keyof Draft, 'feePercentage' | 'windowCron'>]: Draft[Key] extends boolean
    ? boolean
    : string
} & {
  /** '' for none. */
  readonly windowCron: string
  /** A decimal percentage; '' for none. */
  readonly interchangeFeePercentage: string
}

type Refused = RefusedBy<'settlements'>

export type ModelDecision = { readonly type: 'create'; readonly draft: Draft } | Refused

const namePattern = /^[A-Za-z0-9]{2,30}$/

/** The default settlement account type of each ledger account type. */
const settlesTo = {
  POSITION: 'SETTLEMENT',
  INTERCHANGE_FEE: 'INTERCHANGE_FEE_SETTLEMENT',
  SETTLEMENT: 'SETTLEMENT',
} as const satisfies Record<LedgerAccountType, SettlementAccountType>

/** Whether a model may be created; only the store knows whether its name is free. */
export function decideModel(proposal: Proposal, now: Date): ModelDecision {
  const { name, currency } = proposal
  if (!namePattern.test(name)) return refuse('INVALID', 'name has 2 to 30 letters and digits')
  const granularity = granularities.find((word) => word === proposal.granularity)
  if (granularity === undefined) return unknownWord('settlementGranularity', granularities)
  const interchange = interchanges.find((word) => word === proposal.interchange)
  if (interchange === undefined) return unknownWord('settlementInterchange', interchanges)
  const delay = delays.find((word) => word === proposal.delay)
  if (delay === undefined) return unknownWord('settlementDelay', delays)
  if (currency !== '' && !isCurrency(currency)) {
    return refuse('INVALID', `${currency} is not a currency`)
  }
  const ledgerAccountType = ledgerAccountTypes.find((word) => word === proposal.ledgerAccountType)
  if (ledgerAccountType === undefined) {
    return refuse('ACCOUNT_TYPE_UNKNOWN', `ledgerAccountType is ${either(ledgerAccountTypes)}`)
  }
  const settlementAccountType =
    proposal.settlementAccountType === ''
      ? settlesTo[ledgerAccountType]
      : settlementAccountTypes.find((word) => word === proposal.settlementAccountType)
  if (settlementAccountType === undefined) {
    const types = either(settlementAccountTypes)
    return refuse('ACCOUNT_TYPE_UNKNOWN', `settlementAccountType is ${types}`)
  }
  if (!isLegal(granularity, interchange, delay)) {
    return refuse('MODEL_INVALID', `${granularity}, ${interchange} and ${delay} do not go together`)
  }
  const fee = feeIn(proposal.interchangeFeePercentage, { currency, ledgerAccountType, delay })
  if (fee.type === 'REFUSE') return fee
  const { windowCron } = proposal
  const cronRefusal = windowCron === '' ? undefined : refuseCron({ delay }, windowCron, now)
  if (cronRefusal !== undefined) return cronRefusal
  return {
    type: 'create',
    draft: {
      name,
      granularity,
      interchange,
      delay,
      currency,
      requireLiquidityCheck: proposal.requireLiquidityCheck,
      ledgerAccountType,
      settlementAccountType,
      autoPositionReset: proposal.autoPositionReset,
      feePercentage: fee.percentage,
      windowCron: windowCron === '' ? null : windowCron,
    },
  }
}

/** Windows hold no transfers of a model that is settled at once. */
function refuseCron({ delay }: Pick<Draft, 'delay'>, cron: string, now: Date): Refused | undefined {
  if (delay !== 'DEFERRED') {
    return refuse('MODEL_INVALID', 'only a model that is DEFERRED closes windows')
  }
  const detail = cronFault(cron, now)
  return detail === undefined ? undefined : refuse('INVALID', detail)
}

/** The changeable members of a model. */
export interface Change {
  readonly isActive: boolean
  /** undefined: unchanged; '': only on request. */
  readonly windowCron: string | undefined
}

/** The model after the change; the same object when nothing changes. */
export function changed(
  model: Model,
  { isActive, windowCron = model.windowCron ?? '' }: Change,
  now: Date,
): Model | Refused {
  const isSameCron = windowCron === (model.windowCron ?? '')
  if (isSameCron && isActive === model.isActive) return model
  const refusal = isSameCron || windowCron === '' ? undefined : refuseCron(model, windowCron, now)
  return refusal ?? { ...model, isActive, windowCron: isSameCron ? model.windowCron : windowCron }
}

/** When windows are closed for the model; empty: only on request. */
export function scheduleOf(model: Model | undefined): string {
  return model?.isActive === true ? (model.windowCron ?? '') : ''
}

type FeeDecision = Refused | { readonly type: 'fee'; readonly percentage: bigint | null }

const percentage_max = 1_000_000n

/**
 * Fees are netted in windows, so that only a model that is settled later can have one. A fee needs
 * accounts of both FSPs, and a model without currency opens none.
 */
function feeIn(
  text: string,
  { currency, ledgerAccountType, delay }: Pick<Draft, 'currency' | 'ledgerAccountType' | 'delay'>,
): FeeDecision {
  if (text === '') return { type: 'fee', percentage: null }
  const percentage = parseAmount(text)
  if (percentage === undefined || percentage === 0n || percentage > percentage_max) {
    return refuse('INVALID', 'interchangeFeePercentage is above 0 and at most 100')
  }
  if (ledgerAccountType !== 'INTERCHANGE_FEE' || delay !== 'DEFERRED') {
    const detail = 'only an INTERCHANGE_FEE model that is DEFERRED has an interchangeFeePercentage'
    return refuse('MODEL_INVALID', detail)
  }
  if (currency === '') {
    return refuse('MODEL_INVALID', 'a model without currency has no interchangeFeePercentage')
  }
  return { type: 'fee', percentage }
}

/** A default model has no accounts to open: no currency uses it before it exists. */
export function opensAccounts({ currency }: Draft): boolean {
  return currency !== ''
}

/**
 * The model whose fee applies to a currency: of several active ones the oldest; none without a
 * currency.
 */
export function feeModelFor(models: readonly Model[], currency: string): Model | undefined {
  if (currency === '') return undefined
  return models.find(
    (model) => model.isActive && model.currency === currency && model.feePercentage !== null,
  )
}

export function unknownModel(name: string): Refused {
  return refuse('MODEL_UNKNOWN', `there is no settlement model ${name}`)
}

export function nameTaken(name: string): Refused {
  return refuse('MODEL_EXISTS', `there is a settlement model ${name}`)
}

/** Gross requires BILATERAL, net requires DEFERRED. */
function isLegal(granularity: Granularity, interchange: Interchange, delay: Delay): boolean {
  return granularity === 'GROSS' ? interchange === 'BILATERAL' : delay === 'DEFERRED'
}

function unknownWord(name: string, words: readonly string[]): ModelDecision {
  return refuse('INVALID', `${name} is ${either(words)}`)
}

function either(words: readonly string[]): string {
  return words.join(' or ')
}

const cron_length_max = 100

/**
 * The error of a schedule as a clause: cron in UTC, with the fields minute, hour, day, month and
 * weekday, optionally preceded by seconds; undefined when it has at least one future time.
 */
function cronFault(cron: string, now: Date): string | undefined {
  if (cron.length > cron_length_max) return `a schedule has at most ${cron_length_max} characters`
  try {
    const next = new Cron(cron, { timezone: 'UTC', mode: '5-or-6-parts' }).nextRun(now)
    return next === null ? `${cron} has no future time` : undefined
  } catch {
    return `${cron} is not a cron expression of five or six fields`
  }
}
