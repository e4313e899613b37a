/**
 * Serves the erasure of a person: dead letters that name the party are deleted, and the history of deliveries
 * names it no longer. What is still being delivered ends by its deadline, and is then found by a repetition.
 */
import { concernsPerson, type Person } from '@causeway/fspiop'
import type { Handlers } from '@causeway/grpc'
import type { Bodies } from '@causeway/keys/months'
import type { Database } from '@causeway/postgres'
import type { notificationsService } from '@causeway/protos'
import { deadAfter, deleteDead, replaceEntity, type DeadMessage } from './person-store.ts'

const rows_max = 500
const erasedEntity = 'erased'

export function personHandlers(
  db: Database,
  bodies: Bodies,
): Pick<Handlers<typeof notificationsService>, 'ErasePerson'> {
  return {
    async ErasePerson({ cursor, ...person }) {
      const history =
        cursor === undefined ? await replaceEntity(db, keyOf(person), erasedEntity) : 0
      const rows = await deadAfter(db, cursor ?? '0', rows_max)
      const opened = await bodies.open(rows.map(({ body }) => body))
      const found = rows.filter((row, at) => isOf(row, opened[at] ?? null, person))
      if (found.length > 0) {
        await deleteDead(
          db,
          found.map(({ id }) => id),
        )
      }
      const erased = history + found.length
      const last = rows.length < rows_max ? undefined : rows.at(-1)
      return last === undefined ? { erased } : { erased, next: last.n }
    },
  }
}

function isOf({ request }: DeadMessage, body: Buffer | null, person: Person): boolean {
  if (body !== null && concernsPerson(body, person)) return true
  const { partyIdType, partyIdentifier } = person
  // Both as in a path and as in the key of the party.
  const texts = [keyOf(person), `${partyIdType}/${encodeURIComponent(partyIdentifier)}`]
  return texts.some((text) => request.includes(JSON.stringify(text).slice(1, -1)))
}

function keyOf({ partyIdType, partyIdentifier, partySubId }: Person): string {
  const subId = partySubId === undefined ? [] : [partySubId]
  return [partyIdType, partyIdentifier, ...subId].map(encodeURIComponent).join('/')
}
