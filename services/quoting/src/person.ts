/** Serves the erasure of a person: messages that name the party are replaced; the quotes stay. */
import { concernsPerson } from '@causeway/fspiop'
import type { Handlers } from '@causeway/grpc'
import { erasedBody, type Bodies } from '@causeway/keys/months'
import type { Database } from '@causeway/postgres'
import type { quotesService } from '@causeway/protos'
import { erasePage, ofNone } from '@causeway/records'

const tables = [
  {
    table: 'messages',
    id: 'quote_id',
    also: 'kind',
    alsoType: 'text',
    settled: ofNone('quotes', `o.id = m.quote_id and o.state = 'PENDING'`),
  },
  {
    table: 'bulk_messages',
    id: 'bulk_quote_id',
    also: 'kind',
    alsoType: 'text',
    settled: ofNone('bulk_quotes', `o.id = m.bulk_quote_id and o.state = 'PENDING'`),
  },
] as const

export function personHandlers(
  db: Database,
  bodies: Bodies,
): Pick<Handlers<typeof quotesService>, 'ErasePerson'> {
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
