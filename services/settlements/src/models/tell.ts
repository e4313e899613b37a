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
  readonly store: Pick<ModelStore, 'all' | 'toTell' | 'told'>
  readonly participants: Pick<Calls<typeof participantsService>, 'AddModelAccounts'>
  readonly ledger: Pick<Calls<typeof ledgerService>, 'SetInterchangeFee'>
  readonly log: Logger
  /** Ends the repeating when the service stops; the intent is left to the next start. */
  readonly signal: AbortSignal
}

/** Tells of each change that nobody has been told of, those that an earlier process left included. */
export async function tellChanges(parts: TellingParts): Promise<void> {
  const { store, log, signal } = parts
  const changes = await retrying(() => store.toTell(), {
    log,
    what: 'read what is still to be told of models',
    signal,
  })
  for (const change of changes) {
    await tell(parts, change.model)
    await retrying(() => store.told(change), { log, what: 'close the intent', signal })
  }
}

/** First the accounts, then the fee that moves them: without them it would stop every transfer. */
async function tell(parts: TellingParts, model: Model): Promise<void> {
  const isReady = !opensAccounts(model) || (await openAccounts(parts, model))
  const isFee = model.ledgerAccountType === 'INTERCHANGE_FEE'
  if (isFee && (isReady || !model.isActive)) await setFee(parts, model.currency)
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
