/** Search for a payment. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { get, query } from '../api.ts'
import type { Amount } from '../domain/amounts.ts'
import { ChangeForm, Money, Page, Problem, State, Table, Time, type Values } from '../ui.tsx'

export interface Transfer {
  readonly transferId: string
  readonly payerFsp: string
  readonly payeeFsp: string
  readonly amount: { readonly amount: Amount; readonly currency: string }
  readonly state: string
  readonly reason: string | null
  readonly receivedAt: string
  readonly completedAt: string | null
}

interface Found {
  readonly transfers: readonly Transfer[]
  readonly next: string | null
}

type SearchField = 'transferId' | 'fspId' | 'state' | 'from' | 'to'

const nothing: Values<SearchField> = { transferId: '', fspId: '', state: '', from: '', to: '' }

export function Payments() {
  const [search, setSearch] = useState(nothing)
  const found = useInfiniteQuery({
    queryKey: ['transfers', search],
    queryFn: ({ pageParam }) => get<Found>(`/transfers${query({ ...search, after: pageParam })}`),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  })
  const rows = found.data?.pages.flatMap(({ transfers }) => transfers) ?? []
  return (
    <Page title="Payments">
      <div className="search" role="search">
        <ChangeForm<SearchField>
          fields={[
            { name: 'transferId', label: 'Transfer id', type: 'search', optional: true },
            { name: 'fspId', label: 'FSP', type: 'search', optional: true },
            {
              name: 'state',
              label: 'State',
              options: ['', 'RECEIVED', 'RESERVED', 'COMMITTED', 'ABORTED'],
              optional: true,
            },
            { name: 'from', label: 'From, UTC', optional: true },
            { name: 'to', label: 'Before, UTC', optional: true },
          ]}
          submit="Search"
          run={(values) => {
            setSearch(values)
            return Promise.resolve()
          }}
          done=""
          quiet
        />
      </div>
      {found.isError && <Problem error={found.error} />}
      {found.isPending ? (
        <p role="status">Loading…</p>
      ) : (
        <Table
          caption="Payments, the newest first"
          head={['Payment', 'From', 'To', 'Amount', 'State', 'Received']}
          empty="No payment was found."
        >
          {rows.map((transfer) => (
            <tr key={transfer.transferId}>
              <th scope="row">
                <Link href={`/payments/${transfer.transferId}`}>
                  <code>{transfer.transferId}</code>
                </Link>
              </th>
              <td>{transfer.payerFsp}</td>
              <td>{transfer.payeeFsp}</td>
              <td>
                <Money {...transfer.amount} />
              </td>
              <td>
                <State state={transfer.state} /> {transfer.reason}
              </td>
              <td>
                <Time at={transfer.receivedAt} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      {found.hasNextPage && (
        <button
          type="button"
          disabled={found.isFetchingNextPage}
          onClick={() => void found.fetchNextPage()}
        >
          Older payments
        </button>
      )}
    </Page>
  )
}
