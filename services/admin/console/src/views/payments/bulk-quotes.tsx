/** Search for a bulk quote. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { call } from '../../api.ts'
import type { FieldOf } from '../../change.tsx'
import { instant, More, SearchForm, useSearch } from '../../search.tsx'
import { Loading, Page, Problem, State, Table, Time } from '../../ui.tsx'
import { bulkQuoteStates } from '../../states.ts'
import { FspLink } from '../participants.tsx'

const names = ['bulkQuoteId', 'fspId', 'state', 'from', 'to'] as const
type BulkQuoteField = (typeof names)[number]

const fields: readonly FieldOf<BulkQuoteField>[] = [
  { name: 'bulkQuoteId', label: 'Bulk quote id', type: 'search', optional: true },
  { name: 'fspId', label: 'FSP', type: 'search', optional: true },
  {
    name: 'state',
    label: 'State',
    options: ['', ...bulkQuoteStates],
    optional: true,
  },
  { name: 'from', label: 'From, UTC', type: 'datetime-local', optional: true },
  { name: 'to', label: 'Before, UTC', type: 'datetime-local', optional: true },
]

export function BulkQuotes() {
  const searching = useSearch<BulkQuoteField>('/bulk-quotes', names)
  const { key, search } = searching
  const found = useInfiniteQuery({
    queryKey: ['bulk-quotes', key],
    queryFn: ({ pageParam: after }) => {
      const times = { from: instant(search.from), to: instant(search.to) }
      return call('GET /bulkQuotes', { ...search, ...times, after })
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  })
  const bulks = found.data?.pages.flatMap((page) => page.bulkQuotes) ?? []
  return (
    <Page title="Bulk quotes">
      <SearchForm fields={fields} of={searching} />
      {found.isError && <Problem error={found.error} />}
      {found.isPending ? (
        <Loading />
      ) : (
        <Table
          caption="Bulk quotes, the newest first"
          head={['Bulk quote', 'From', 'To', '#Items', '#Refused by the hub', 'State', 'Received']}
          empty="No bulk quote was found."
          rows={bulks.map((bulk) => ({
            key: bulk.bulkQuoteId,
            cells: [
              <BulkQuoteLink key="id" id={bulk.bulkQuoteId} />,
              <FspLink key="from" name={bulk.payerFsp} />,
              bulk.payeeFsp === null ? '' : <FspLink key="to" name={bulk.payeeFsp} />,
              bulk.items,
              bulk.itemsRefused,
              <State key="state" state={bulk.state} />,
              <Time key="received" at={bulk.receivedAt} />,
            ],
          }))}
        />
      )}
      <More label="Older bulk quotes" of={found} />
    </Page>
  )
}

export function BulkQuoteLink({ id }: { id: string }) {
  return (
    <Link href={`/bulk-quotes/${encodeURIComponent(id)}`}>
      <code>{id}</code>
    </Link>
  )
}
