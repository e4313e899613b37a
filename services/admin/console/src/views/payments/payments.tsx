/** Search for a payment. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { call } from '../../api.ts'
import type { FieldOf } from '../../change.tsx'
import { instant, More, SearchForm, useSearch } from '../../search.tsx'
import { Loading, Money, Page, Problem, State, Table, Time } from '../../ui.tsx'
import { transferStates } from '../../states.ts'
import { FspLink } from '../participants.tsx'

const names = ['transferId', 'fspId', 'state', 'from', 'to'] as const
type PaymentField = (typeof names)[number]

const fields: readonly FieldOf<PaymentField>[] = [
  { name: 'transferId', label: 'Transfer id', type: 'search', optional: true },
  { name: 'fspId', label: 'FSP', type: 'search', optional: true },
  {
    name: 'state',
    label: 'State',
    options: ['', ...transferStates],
    optional: true,
  },
  { name: 'from', label: 'From, UTC', type: 'datetime-local', optional: true },
  { name: 'to', label: 'Before, UTC', type: 'datetime-local', optional: true },
]

export function Payments() {
  const searching = useSearch<PaymentField>('/payments', names)
  const { key, search } = searching
  const found = useInfiniteQuery({
    queryKey: ['transfers', key],
    queryFn: ({ pageParam: after }) => {
      const times = { from: instant(search.from), to: instant(search.to) }
      return call('GET /transfers', { ...search, ...times, after })
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  })
  const transfers = found.data?.pages.flatMap((page) => page.transfers) ?? []
  return (
    <Page title="Payments">
      <SearchForm fields={fields} of={searching} />
      {found.isError && <Problem error={found.error} />}
      {found.isPending ? (
        <Loading />
      ) : (
        <Table
          caption="Payments, newest first"
          head={['Payment', 'From', 'To', '#Amount', 'State', 'Received']}
          empty={found.hasNextPage ? 'None among those searched so far.' : 'No payment was found.'}
          rows={transfers.map((transfer) => ({
            key: transfer.transferId,
            cells: [
              <Link key="id" href={`/payments/${encodeURIComponent(transfer.transferId)}`}>
                <code>{transfer.transferId}</code>
              </Link>,
              <FspLink key="from" name={transfer.payerFsp} />,
              <FspLink key="to" name={transfer.payeeFsp} />,
              <Money key="amount" {...transfer.amount} />,
              <>
                <State state={transfer.state} /> <small>{transfer.reason}</small>
              </>,
              <Time key="received" at={transfer.receivedAt} />,
            ],
          }))}
        />
      )}
      <More label="Older payments" of={found} />
    </Page>
  )
}
