/**
 * After a model is created, participants that use its currency get the accounts it needs. The intent is
 * stored with the model and stands until participant-lifecycle has answered, over crashes too.
 */
import type { participantsService } from '@causeway/protos'
import { retrying, type Calls, type Logger } from '@causeway/runtime'
import type { Model } from './domain/model.ts'
import type { ModelStore } from './store.ts'

export interface AccountOpeningParts {
  readonly store: ModelStore
  readonly participants: Pick<Calls<typeof participantsService>, 'AddModelAccounts'>
  readonly log: Logger
  /** Ends the repeating when the service stops; the intent is left to the next start. */
  readonly signal: AbortSignal
}

export async function openAccounts(parts: AccountOpeningParts, model: Model): Promise<void> {
  const { store, participants, log, signal } = parts
  const { id, currency, ledgerAccountType, settlementAccountType } = model
  const { refusal } = await retrying(
    () => participants.AddModelAccounts({ currency, ledgerAccountType, settlementAccountType }),
    { log, what: `open the accounts of model ${model.name}`, signal },
  )
  if (refusal) log.error({ modelId: id, refusal }, 'the accounts of a model were refused')
  await retrying(() => store.opened(id), { log, what: 'close the intent', signal })
}

/** What earlier processes left open. */
export async function openRemainingAccounts(parts: AccountOpeningParts): Promise<void> {
  for (const model of await parts.store.toOpen()) await openAccounts(parts, model)
}
