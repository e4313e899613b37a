/** Search for a bulk transfer. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { call } from '../../api.ts'
import type { FieldOf } from '../../change.tsx'
import { instant, More, SearchForm, useSearch } from '../../search.tsx'
import { Loading, Page, Problem, State, Table, Time } from '../../ui.tsx'
import { bulkTransferStates } from '../../states.ts'
import { FspLink } from '../participants.tsx'

const names = ['bulkTransferId', 'bulkQuoteId', 'fspId', 'state', 'from', 'to'] as const
type BulkTransferField = (typeof names)[number]

const fields: readonly FieldOf<BulkTransferField>[] = [
  { name: 'bulkTransferId', label: 'Bulk transfer id', type: 'search', optional: true },
  { name: 'bulkQuoteId', label: 'Bulk quote id', type: 'search', optional: true },
  { name: 'fspId', label: 'FSP', type: 'search', optional: true },
  {
    name: 'state',
    label: 'State',
    options: ['', ...bulkTransferStates],
    optional: true,
  },
  { name: 'from', label: 'From, UTC', type: 'datetime-local', optional: true },
  { name: 'to', label: 'Before, UTC', type: 'datetime-local', optional: true },
]

export function BulkTransfers() {
  const searching = useSearch<BulkTransferField>('/bulk-transfers', names)
  const { key, search } = searching
  const found = useInfiniteQuery({
    queryKey: ['bulk-transfers', key],
    queryFn: ({ pageParam: after }) => {
      const times = { from: instant(search.from), to: instant(search.to) }
      return call('GET /bulkTransfers', { ...search, ...times, after })
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  })
  const bulks = found.data?.pages.flatMap((page) => page.bulkTransfers) ?? []
  return (
    <Page title="Bulk transfers">
      <SearchForm fields={fields} of={searching} />
      {found.isError && <Problem error={found.error} />}
      {found.isPending ? (
        <Loading />
      ) : (
        <Table
          caption="Bulk transfers, the newest first"
          head={['Bulk transfer', 'From', 'To', '#Items', '#Paid', '#Open', 'State', 'Received']}
          empty="No bulk transfer was found."
          rows={bulks.map((bulk) => ({
            key: bulk.bulkTransferId,
            cells: [
              <BulkTransferLink key="id" id={bulk.bulkTransferId} />,
              <FspLink key="from" name={bulk.payerFsp} />,
              <FspLink key="to" name={bulk.payeeFsp} />,
              bulk.items,
              bulk.committed,
              bulk.open,
              <State key="state" state={bulk.state} />,
              <Time key="received" at={bulk.receivedAt} />,
            ],
          }))}
        />
      )}
      <More label="Older bulk transfers" of={found} />
    </Page>
  )
}

export function BulkTransferLink({ id }: { id: string }) {
  return (
    <Link href={`/bulk-transfers/${encodeURIComponent(id)}`}>
      <code>{id}</code>
    </Link>
  )
}
