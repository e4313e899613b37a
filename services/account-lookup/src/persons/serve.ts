/** Serves the erasure of a person: nobody is the owner of the party afterwards. */
import type { Handlers } from '@causeway/grpc'
import type { Database } from '@causeway/postgres'
import type { personsService } from '@causeway/protos'
import { readParty, type Party } from '../domain/party.ts'
import { eraseParty } from './store.ts'

export interface PersonParts {
  readonly db: Database
  /** Other processes forget the owner when their cached entry is too old. */
  readonly owners: { forget(party: Party): void }
}

export function personHandlers({ db, owners }: PersonParts): Handlers<typeof personsService> {
  return {
    async ErasePerson({ partyIdType, partyIdentifier, partySubId }) {
      const reading = readParty({ partyIdType, partyIdentifier, partySubIdOrType: partySubId })
      if (reading.type !== 'PARTY') return { erased: 0 }
      const erased = await eraseParty(db, reading.party, partySubId ?? null)
      for (const party of erased) owners.forget(party)
      return { erased: erased.length }
    },
  }
}
