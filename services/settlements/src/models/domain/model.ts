/** A settlement model: when, between whom and through which accounts transfers are settled. */
import { isCurrency, parseAmount } from '@causeway/money'
import type {
  ModelCreation,
  SettlementAccountType,
  SettlementModelDelay,
  SettlementModelGranularity,
  SettlementModelInterchange,
  SettlementModelLedgerAccountType,
} from '@causeway/protos'
import { refuse, type RefusedBy } from '@causeway/services'
import { Cron } from 'croner'

/** A model that may be created. */
export interface Draft {
  readonly name: string
  readonly granularity: SettlementModelGranularity
  readonly interchange: SettlementModelInterchange
  readonly delay: SettlementModelDelay
  /** Empty: the default model of currencies that have none of their own. */
  readonly currency: string
  readonly requireLiquidityCheck: boolean
  readonly ledgerAccountType: SettlementModelLedgerAccountType
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
export type Proposal = Omit<ModelCreation, 'actor'>

type RefusedModel = RefusedBy<'settlements'>

export type ModelDecision = { readonly type: 'create'; readonly draft: Draft } | RefusedModel

const namePattern = /^[A-Za-z0-9]{2,30}$/

/** The default settlement account type of each ledger account type. */
const settlesTo = {
  POSITION: 'SETTLEMENT',
  INTERCHANGE_FEE: 'INTERCHANGE_FEE_SETTLEMENT',
  SETTLEMENT: 'SETTLEMENT',
} as const satisfies Record<SettlementModelLedgerAccountType, SettlementAccountType>

/** Whether a model may be created; only the store knows whether its name is free. */
export function decideModel(proposal: Proposal, now: Date): ModelDecision {
  const { name, currency = '', granularity, interchange, delay, ledgerAccountType } = proposal
  const { settlementAccountType = settlesTo[ledgerAccountType], windowCron = null } = proposal
  if (!namePattern.test(name)) return refuse('INVALID', 'name has 2 to 30 letters and digits')
  if (proposal.currency !== undefined && !isCurrency(currency)) {
    return refuse('INVALID', `${currency} is not a currency`)
  }
  if (!isLegal({ granularity, delay })) {
    return refuse('MODEL_INVALID', `${granularity} and ${delay} do not go together`)
  }
  if (!isCoverLegal({ delay, ledgerAccountType, settlementAccountType })) {
    return refuse('MODEL_INVALID', 'a POSITION model that is IMMEDIATE settles to SETTLEMENT')
  }
  const fee = feeIn(proposal.interchangeFeePercentage, { currency, ledgerAccountType, delay })
  if (fee.type === 'REFUSE') return fee
  const cronRefusal = windowCron === null ? undefined : refuseCron({ delay }, windowCron, now)
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
      windowCron,
    },
  }
}

/** Windows hold no transfers of a model that is settled at once. */
function refuseCron(
  { delay }: Pick<Draft, 'delay'>,
  cron: string,
  now: Date,
): RefusedModel | undefined {
  if (delay !== 'DEFERRED') {
    return refuse('MODEL_INVALID', 'only a model that is DEFERRED closes windows')
  }
  const detail = cronFault(cron, now)
  return detail === undefined ? undefined : refuse('INVALID', detail)
}

/** The changeable members of a model. */
export interface ModelChange {
  readonly isActive: boolean
  /** undefined: unchanged; '': only on request. */
  readonly windowCron: string | undefined
}

/** The model after the change; the same object when nothing changes. */
export function changed(
  model: Model,
  { isActive, windowCron = model.windowCron ?? '' }: ModelChange,
  now: Date,
): Model | RefusedModel {
  const isSameCron = windowCron === (model.windowCron ?? '')
  if (isSameCron && isActive === model.isActive) return model
  const refusal = isSameCron || windowCron === '' ? undefined : refuseCron(model, windowCron, now)
  return refusal ?? { ...model, isActive, windowCron: isSameCron ? model.windowCron : windowCron }
}

/** When windows are closed for the model; empty: only on request. */
export function scheduleOf(model: Model | undefined): string {
  return model?.isActive === true ? (model.windowCron ?? '') : ''
}

type FeeDecision = RefusedModel | { readonly type: 'fee'; readonly percentage: bigint | null }

const percentage_max = 1_000_000n

/**
 * Fees are netted in windows, so that only a model that is settled later can have one. A fee needs
 * accounts of both FSPs, and a model without currency opens none.
 */
function feeIn(
  text: string | undefined,
  { currency, ledgerAccountType, delay }: Pick<Draft, 'currency' | 'ledgerAccountType' | 'delay'>,
): FeeDecision {
  if (text === undefined) return { type: 'fee', percentage: null }
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

export function unknownModel(name: string): RefusedModel {
  return refuse('MODEL_UNKNOWN', `there is no settlement model ${name}`)
}

export function nameTaken(name: string): RefusedModel {
  return refuse('MODEL_EXISTS', `there is a settlement model ${name}`)
}

/** A net is a sum over a window, which a transfer that is settled at once is not in. */
function isLegal({ granularity, delay }: Pick<Draft, 'granularity' | 'delay'>): boolean {
  return granularity === 'GROSS' || delay === 'DEFERRED'
}

/** What the ledger settles at once, it settles between the accounts of deposits. */
function isCoverLegal(
  draft: Pick<Draft, 'delay' | 'ledgerAccountType' | 'settlementAccountType'>,
): boolean {
  const { delay, ledgerAccountType, settlementAccountType } = draft
  return (
    delay === 'DEFERRED' ||
    ledgerAccountType !== 'POSITION' ||
    settlementAccountType === 'SETTLEMENT'
  )
}

/** The account whose deposit the ledger holds the positions of a model's transfers against. */
export function coverTypeOf(model: Draft): SettlementAccountType {
  return isCoverLegal(model) ? model.settlementAccountType : 'SETTLEMENT'
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
