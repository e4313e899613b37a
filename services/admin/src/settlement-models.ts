/** Settlement models: how participants settle, one or more per currency. */
import { formatAmount } from '@causeway/money'
import {
  settlementModelDelayValues,
  settlementModelGranularityValues,
  settlementModelInterchangeValues,
  type SettlementModel,
} from '@causeway/protos'
import { z } from 'zod'
import { answered, refused, type OperationResult } from './answer.ts'
import {
  currency,
  flag,
  modelAccountType,
  modelName,
  settlementAccountType,
  percentage,
} from './fields.ts'
import type { Json } from './json.ts'
import { reads, writes, type Operation } from './operation.ts'
import { shownAmount } from './shapes.ts'
import { refusedUpstream, unitsOf, type Deps } from './upstream.ts'

/** For a DEFERRED model; settlements reads it. */
const cron = z.string().max(100).meta({
  description:
    'when the open window is closed: cron in UTC, minute hour day month weekday, or with seconds first; empty: only on request',
})

/** The account type has two names: that of the specification's example and the one in answers. */
const creation = z.strictObject({
  name: modelName,
  settlementGranularity: z.enum(settlementModelGranularityValues),
  settlementInterchange: z.enum(settlementModelInterchangeValues),
  settlementDelay: z.enum(settlementModelDelayValues),
  currency: currency.optional(),
  requireLiquidityCheck: flag,
  ledgerAccountType: modelAccountType.optional(),
  ledgerAccountTypeId: modelAccountType.optional(),
  settlementAccountType: settlementAccountType.optional(),
  autoPositionReset: flag,
  /**
   * For a model of interchange fees: the fee that the payer's FSP owes the payee's for each
   * payment.
   */
  interchangeFeePercentage: percentage.optional(),
  windowClosingCron: cron.optional(),
})

const state = z.strictObject({ isActive: flag, windowClosingCron: cron.optional() })

const shownModel = z
  .strictObject({
    settlementModelId: z.int(),
    name: z.string(),
    isActive: z.boolean(),
    settlementGranularity: z.enum(settlementModelGranularityValues),
    settlementInterchange: z.enum(settlementModelInterchangeValues),
    settlementDelay: z.enum(settlementModelDelayValues),
    /** null: it applies to the currencies that have no model of their own. */
    currency: z.string().nullable(),
    requireLiquidityCheck: z.boolean(),
    ledgerAccountTypeId: modelAccountType,
    settlementAccountType,
    autoPositionReset: z.boolean(),
    interchangeFeePercentage: shownAmount.optional(),
    windowClosingCron: z.string().optional(),
  })
  .meta({ id: 'SettlementModel' })

export function settlementModelOperations(deps: Deps): readonly Operation[] {
  return [
    reads(
      '/settlementModels',
      { about: 'Every settlement model, inactive ones too', answers: { 200: z.array(shownModel) } },
      () => listModels(deps),
    ),
    writes(
      'POST',
      '/settlementModels',
      creation,
      {
        about: 'Creates a settlement model, active',
        answers: { 201: null },
        refuses: ['MODEL_EXISTS', 'MODEL_INVALID', 'ACCOUNT_TYPE_UNKNOWN'],
      },
      ({ body, actor }) => createModel(deps, body, actor),
    ),
    reads(
      '/settlementModels/:name',
      {
        about: 'A settlement model',
        answers: { 200: shownModel },
        refuses: ['MODEL_UNKNOWN'],
      },
      ({ name }) => getModel(deps, name),
    ),
    writes(
      'PUT',
      '/settlementModels/:name',
      state,
      {
        about:
          'Activates or deactivates a model, or sets the closing of windows; an inactive model gets no new transfers',
        answers: { 200: shownModel },
        refuses: ['MODEL_UNKNOWN', 'MODEL_INVALID'],
      },
      ({ name, body, actor }) => changeModel(deps, name, body, actor),
    ),
  ]
}

async function listModels(deps: Deps): Promise<OperationResult> {
  const { models } = await deps.models.GetSettlementModels({})
  return answered(200, models.map(modelBody))
}

async function getModel(deps: Deps, name: string): Promise<OperationResult> {
  const { models } = await deps.models.GetSettlementModels({ name })
  const [model] = models
  if (model === undefined) return refused('MODEL_UNKNOWN', `settlement model ${name}`)
  return answered(200, modelBody(model))
}

/**
 * A model without a currency applies to currencies that have none; only with
 * COMPATIBILITY=mojaloop.
 */
async function createModel(
  deps: Deps,
  body: z.infer<typeof creation>,
  actor: string,
): Promise<OperationResult> {
  if (body.currency === undefined && deps.settings.COMPATIBILITY !== 'mojaloop') {
    return refused('MISSING', 'currency')
  }
  const type = body.ledgerAccountType ?? body.ledgerAccountTypeId
  if (type === undefined) return refused('MISSING', 'ledgerAccountType')
  if ((body.ledgerAccountTypeId ?? type) !== type) {
    return refused('INVALID', 'ledgerAccountType and ledgerAccountTypeId differ')
  }
  const { refusal } = await deps.models.CreateSettlementModel({
    name: body.name,
    granularity: body.settlementGranularity,
    interchange: body.settlementInterchange,
    delay: body.settlementDelay,
    currency: body.currency,
    requireLiquidityCheck: body.requireLiquidityCheck,
    ledgerAccountType: type,
    // Absent: settlements knows the usual settlement account of the ledger account.
    settlementAccountType: body.settlementAccountType,
    autoPositionReset: body.autoPositionReset,
    ...feeOf(body.interchangeFeePercentage),
    windowCron: body.windowClosingCron || undefined,
    actor,
  })
  return refusal ? refusedUpstream(refusal) : answered(201)
}

function feeOf(percentage: bigint | undefined) {
  return percentage === undefined ? {} : { interchangeFeePercentage: formatAmount(percentage) }
}

/** Absent: unchanged. */
function cronOf({ windowClosingCron }: Pick<z.infer<typeof state>, 'windowClosingCron'>) {
  return windowClosingCron === undefined ? {} : { windowCron: windowClosingCron }
}

async function changeModel(
  deps: Deps,
  name: string,
  body: z.infer<typeof state>,
  actor: string,
): Promise<OperationResult> {
  const { isActive } = body
  const change = { name, isActive, actor, ...cronOf(body) }
  const { model, refusal } = await deps.models.UpdateSettlementModel(change)
  if (refusal) return refusedUpstream(refusal)
  if (!model) throw new Error('a model was changed, but not returned')
  return answered(200, modelBody(model))
}

/** A default model has no currency. */
function modelBody(model: SettlementModel) {
  const { interchangeFeePercentage: fee, windowCron: windowClosingCron } = model
  return {
    settlementModelId: model.id,
    name: model.name,
    isActive: model.isActive,
    settlementGranularity: model.granularity,
    settlementInterchange: model.interchange,
    settlementDelay: model.delay,
    currency: model.currency ?? null,
    requireLiquidityCheck: model.requireLiquidityCheck,
    ledgerAccountTypeId: model.ledgerAccountType,
    settlementAccountType: model.settlementAccountType,
    autoPositionReset: model.autoPositionReset,
    ...(fee === undefined ? {} : { interchangeFeePercentage: unitsOf(fee) }),
    ...(windowClosingCron === undefined ? {} : { windowClosingCron }),
  } satisfies Json
}
