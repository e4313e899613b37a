/**
 * Pushes settlement models to participant-lifecycle: the accounts that a model needs, so that
 * participants with its currency get them, its rule of cover, and its interchange fee. The intent is
 * stored with the model and retained until participant-lifecycle has answered, also across crashes.
 */
import type { Calls } from '@causeway/grpc'
import { formatAmount } from '@causeway/money'
import { retrying, type Logger } from '@causeway/process'
import type { ledgerService, participantsService } from '@causeway/protos'
import { coverTypeOf, feeModelFor, opensAccounts, type Model } from './domain/model.ts'
import type { ModelStore } from './store.ts'

export interface PushParts {
  readonly store: Pick<ModelStore, 'all' | 'pendingPushes' | 'markPushed'>
  readonly participants: Pick<Calls<typeof participantsService>, 'AddModelAccounts'>
  readonly ledger: Pick<Calls<typeof ledgerService>, 'SetInterchangeFee' | 'SetModelRule'>
  readonly log: Logger
  /** Ends retries when the service stops; the next start continues. */
  readonly signal: AbortSignal
}

/** Pushes all pending changes, including those of earlier processes. */
export async function pushChanges(parts: PushParts): Promise<void> {
  const { store, log, signal } = parts
  const changes = await retrying(() => store.pendingPushes(), {
    log,
    what: 'reading pending changes of models',
    signal,
  })
  for (const change of changes) {
    await pushModel(parts, change.model)
    await retrying(() => store.markPushed(change), { log, what: 'deleting the intent', signal })
  }
}

/**
 * First the accounts, then what needs them: a fee or a cover on an account that does not exist would
 * stop every transfer.
 */
async function pushModel(parts: PushParts, model: Model): Promise<void> {
  const isReady = !opensAccounts(model) || (await openAccounts(parts, model))
  if (model.ledgerAccountType === 'POSITION') await setRule(parts, model)
  const isFee = model.ledgerAccountType === 'INTERCHANGE_FEE'
  if (isFee && (isReady || !model.isActive)) await setFee(parts, model.currency)
}

/** @returns whether the accounts exist */
async function openAccounts(
  { participants, log, signal }: PushParts,
  { id, name, currency, ledgerAccountType, settlementAccountType }: Model,
): Promise<boolean> {
  const { refusal } = await retrying(
    () => participants.AddModelAccounts({ currency, ledgerAccountType, settlementAccountType }),
    { log, what: `open the accounts of model ${name}`, signal },
  )
  if (refusal) log.error({ modelId: id, refusal }, 'the accounts of a model were refused')
  return !refusal
}

async function setRule({ ledger, log, signal }: PushParts, model: Model): Promise<void> {
  const { id, name, currency, isActive, requireLiquidityCheck } = model
  const rule = {
    settlementModelId: id,
    settlementModel: name,
    currency: currency || undefined,
    isActive,
    coverType: coverTypeOf(model),
    requireLiquidityCheck,
    isCheckOff: false,
  }
  const { refusal } = await retrying(() => ledger.SetModelRule(rule), {
    log,
    what: `set the rule of cover of model ${name}`,
    signal,
  })
  if (refusal) log.error({ modelId: id, refusal }, 'the rule of cover of a model was refused')
}

/** Sets the fee that is currently in force, whichever model was changed. */
async function setFee({ store, ledger, log, signal }: PushParts, currency: string) {
  const { refusal } = await retrying(
    async () => {
      const model = feeModelFor(await store.all(), currency)
      return ledger.SetInterchangeFee({
        currency,
        rule:
          model === undefined
            ? null
            : {
                settlementModelId: model.id,
                percentage: formatAmount(model.feePercentage ?? 0n),
              },
      })
    },
    { log, what: `set the interchange fee of ${currency}`, signal },
  )
  if (refusal) log.error({ currency, refusal }, 'an interchange fee was refused')
}
