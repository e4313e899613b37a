/** Serves the erasure of a person: messages that name the party are replaced; the transfers stay. */
import { concernsPerson } from '@causeway/fspiop'
import type { Handlers } from '@causeway/grpc'
import { erasedBody, type Bodies } from '@causeway/keys/months'
import type { Database } from '@causeway/postgres'
import type { transfersService } from '@causeway/protos'
import { erasePage, ofNone } from '@causeway/records'

const tables = [
  {
    table: 'messages',
    id: 'transfer_id',
    also: 'kind',
    alsoType: 'text',
    settled: ofNone('transfers', 'o.id = m.transfer_id and o.sweep_at is not null'),
  },
  {
    table: 'bulk_messages',
    id: 'bulk_id',
    also: 'event_id',
    alsoType: 'uuid',
    settled: ofNone('bulk_transfers', 'o.id = m.bulk_id and o.completed_at is null'),
  },
] as const

export function personHandlers(
  db: Database,
  bodies: Bodies,
): Pick<Handlers<typeof transfersService>, 'ErasePerson'> {
  return {
    ErasePerson: ({ cursor, ...person }) =>
      erasePage(
        db,
        {
          tables,
          open: (stored) => bodies.open(stored),
          concerns: (body) => concernsPerson(body, person),
          replacement: erasedBody,
        },
        cursor,
      ),
  }
}
