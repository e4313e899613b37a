/**
 * What participant-lifecycle is told of a model: which accounts it needs, so that participants who use
 * its currency get them, and its interchange fee. The intent is stored with the model and stands until
 * participant-lifecycle has answered, over crashes too.
 */
import { formatAmount } from '@causeway/money'
import type { ledgerService, participantsService } from '@causeway/protos'
import { retrying, type Calls, type Logger } from '@causeway/runtime'
import { feeModelFor, opensAccounts, type Model } from './domain/model.ts'
import type { ModelStore } from './store.ts'

export interface TellingParts {
  readonly store: ModelStore
  readonly participants: Pick<Calls<typeof participantsService>, 'AddModelAccounts'>
  readonly ledger: Pick<Calls<typeof ledgerService>, 'SetInterchangeFee'>
  readonly log: Logger
  /** Ends the repeating when the service stops; the intent is left to the next start. */
  readonly signal: AbortSignal
}

/** First the accounts, then the fee that moves them: without them it would stop every transfer. */
export async function tell(parts: TellingParts, model: Model): Promise<void> {
  const { store, log, signal } = parts
  const isReady = !opensAccounts(model) || (await openAccounts(parts, model))
  const isFee = model.ledgerAccountType === 'INTERCHANGE_FEE'
  if (isFee && (isReady || !model.isActive)) await setFee(parts, model.currency)
  await retrying(() => store.told(model.id), { log, what: 'close the intent', signal })
}

/** @returns whether they are there */
async function openAccounts(
  { participants, log, signal }: TellingParts,
  { id, name, currency, ledgerAccountType, settlementAccountType }: Model,
): Promise<boolean> {
  const { refusal } = await retrying(
    () => participants.AddModelAccounts({ currency, ledgerAccountType, settlementAccountType }),
    { log, what: `open the accounts of model ${name}`, signal },
  )
  if (refusal) log.error({ modelId: id, refusal }, 'the accounts of a model were refused')
  return !refusal
}

/** The fee that is in force now, whichever model was changed. */
async function setFee({ store, ledger, log, signal }: TellingParts, currency: string) {
  const { refusal } = await retrying(
    async () => {
      const model = feeModelFor(await store.all(), currency)
      return ledger.SetInterchangeFee({
        currency,
        settlementModelId: model?.id ?? 0,
        percentage: formatAmount(model?.feePercentage ?? 0n),
      })
    },
    { log, what: `set the interchange fee of ${currency}`, signal },
  )
  if (refusal) log.error({ currency, refusal }, 'an interchange fee was refused')
}

/** What earlier processes left untold. */
export async function tellRemaining(parts: TellingParts): Promise<void> {
  const models = await retrying(() => parts.store.toTell(), {
    log: parts.log,
    what: 'read what is still to be told of models',
    signal: parts.signal,
  })
  for (const model of models) await tell(parts, model)
}
