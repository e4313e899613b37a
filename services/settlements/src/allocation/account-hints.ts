/**
 * A cache of the participants' POSITION accounts by currency. They are hints: account ids never
 * change, and the ledger decides whether the accounts may be used.
 */
import type { Calls } from '@causeway/grpc'
import { readThrough, type Logger } from '@causeway/process'
import type { Participant, participantsService } from '@causeway/protos'

export interface AccountKey {
  readonly participant: string
  readonly currency: string
}

export interface AccountHints {
  /** Loads what is not cached; a failed load leaves accounts without hints. */
  load(keys: readonly AccountKey[]): Promise<void>
  find(key: AccountKey): number | undefined
  /** Invalidates the participant. */
  forget(participant: string): void
}

type PositionAccounts = ReadonlyMap<string, number>

const participants_max = 10_000
/** Limits the wait for a hint. */
const deadline_ms = 500

export function openAccountHints(
  participants: Pick<Calls<typeof participantsService>, 'GetParticipantInfo'>,
  log: Logger,
): AccountHints {
  const cache = readThrough<PositionAccounts>({
    entries_max: participants_max,
    load: async (names) => {
      const answer = await participants.GetParticipantInfo({ names: [...names] }, { deadline_ms })
      return new Map(answer.participants.map((found) => [found.name, positionAccounts(found)]))
    },
  })
  const find = ({ participant, currency }: AccountKey) => cache.peek(participant)?.get(currency)
  return {
    find,
    async load(keys) {
      const missing = keys.filter((key) => find(key) === undefined)
      if (missing.length === 0) return
      try {
        await cache.fresh(missing.map(({ participant }) => participant))
      } catch (error) {
        // The request continues after any failure: it must not be lost because of a hint.
        log.warn({ err: error }, 'account hints could not be loaded')
      }
    },
    forget: (participant) => cache.forget(participant),
  }
}

function positionAccounts({ accounts }: Participant): PositionAccounts {
  return new Map(
    accounts
      .filter(({ ledgerAccountType }) => ledgerAccountType === 'POSITION')
      .map(({ currency, id }) => [currency, id]),
  )
}
