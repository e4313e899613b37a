/** Search for payments that PISPs began. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { call } from '../../api.ts'
import type { FieldOf } from '../../change.tsx'
import { instant, More, SearchForm, useSearch } from '../../search.tsx'
import { Loading, Page, Problem, State, Table, Time } from '../../ui.tsx'
import { ConsentLink } from './consents.tsx'
import { FspLink } from '../participants.tsx'

const names = ['transactionRequestId', 'pispId', 'dfspId', 'state', 'from', 'to'] as const
type ThirdPartyField = (typeof names)[number]

const fields: readonly FieldOf<ThirdPartyField>[] = [
  { name: 'transactionRequestId', label: 'Request id', type: 'search', optional: true },
  { name: 'pispId', label: 'PISP', type: 'search', optional: true },
  { name: 'dfspId', label: 'DFSP', type: 'search', optional: true },
  {
    name: 'state',
    label: 'State',
    options: ['', 'REQUESTED', 'RECEIVED', 'PENDING', 'ACCEPTED', 'REJECTED', 'FAILED'],
    optional: true,
  },
  { name: 'from', label: 'From, UTC', type: 'datetime-local', optional: true },
  { name: 'to', label: 'Before, UTC', type: 'datetime-local', optional: true },
]

export function ThirdPartyPayments() {
  const searching = useSearch<ThirdPartyField>('/third-party', names)
  const { key, search } = searching
  const found = useInfiniteQuery({
    queryKey: ['third-party-payments', key],
    queryFn: ({ pageParam: after }) => {
      const times = { from: instant(search.from), to: instant(search.to) }
      return call('GET /third-party-transactions', { ...search, ...times, after })
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  })
  const requests = found.data?.pages.flatMap((page) => page.transactions) ?? []
  return (
    <Page title="Third-party payments">
      <SearchForm fields={fields} of={searching} />
      {found.isError && <Problem error={found.error} />}
      {found.isPending ? (
        <Loading />
      ) : (
        <Table
          caption="Requests of PISPs, newest first"
          head={['Request', 'PISP', 'DFSP', 'Consent', 'State', 'Requested']}
          empty="No third-party payment was found."
          rows={requests.map((request) => ({
            key: request.transactionRequestId,
            cells: [
              <RequestLink key="id" id={request.transactionRequestId} />,
              <FspLink key="pisp" name={request.pispId} />,
              <FspLink key="dfsp" name={request.dfspId} />,
              request.consentId === null ? (
                '–'
              ) : (
                <ConsentLink key="consent" id={request.consentId} />
              ),
              <>
                <State state={request.state} /> <small>{request.error?.errorCode}</small>
              </>,
              <Time key="requested" at={request.requestedAt} />,
            ],
          }))}
        />
      )}
      <More label="Older third-party payments" of={found} />
    </Page>
  )
}

/** To the story of a transaction request. */
export function RequestLink({ id }: { id: string }) {
  return (
    <Link href={`/third-party/${encodeURIComponent(id)}`}>
      <code>{id}</code>
    </Link>
  )
}
