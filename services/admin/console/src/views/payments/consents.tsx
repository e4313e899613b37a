/** Consents of users: a search. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { call } from '../../api.ts'
import type { FieldOf } from '../../change.tsx'
import { instant, More, SearchForm, useSearch } from '../../search.tsx'
import { Loading, Page, Problem, State, Table, Time } from '../../ui.tsx'
import { FspLink } from '../participants.tsx'

const names = ['consentId', 'fspId', 'state', 'from', 'to'] as const
type ConsentField = (typeof names)[number]

const fields: readonly FieldOf<ConsentField>[] = [
  { name: 'consentId', label: 'Consent id', type: 'search', optional: true },
  { name: 'fspId', label: 'DFSP or PISP', type: 'search', optional: true },
  {
    name: 'state',
    label: 'State',
    options: ['', 'PENDING', 'ISSUED', 'REVOKED', 'REFUSED'],
    optional: true,
  },
  { name: 'from', label: 'From, UTC', type: 'datetime-local', optional: true },
  { name: 'to', label: 'Before, UTC', type: 'datetime-local', optional: true },
]

export function Consents() {
  const searching = useSearch<ConsentField>('/consents', names)
  const { key, search } = searching
  const found = useInfiniteQuery({
    queryKey: ['consents', key],
    queryFn: ({ pageParam: after }) => {
      const times = { from: instant(search.from), to: instant(search.to) }
      return call('GET /consents', { ...search, ...times, after })
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  })
  const consents = found.data?.pages.flatMap((page) => page.consents) ?? []
  return (
    <Page title="Consents">
      <SearchForm fields={fields} of={searching} />
      {found.isError && <Problem error={found.error} />}
      {found.isPending ? (
        <Loading />
      ) : (
        <Table
          caption="Consents, newest first"
          head={['Consent', 'DFSP', 'PISP', 'Credential', 'State', 'Registered']}
          empty="No consent was found."
          rows={consents.map((consent) => ({
            key: consent.consentId,
            cells: [
              <ConsentLink key="id" id={consent.consentId} />,
              <FspLink key="dfsp" name={consent.dfspId} />,
              consent.pispId === null ? '–' : <FspLink key="pisp" name={consent.pispId} />,
              consent.credentialType ?? '–',
              <>
                <State state={consent.state} /> <small>{consent.reason}</small>
              </>,
              <Time key="registered" at={consent.registeredAt} />,
            ],
          }))}
        />
      )}
      <More label="Older consents" of={found} />
    </Page>
  )
}

export function ConsentLink({ id }: { id: string }) {
  return (
    <Link href={`/consents/${encodeURIComponent(id)}`}>
      <code>{id}</code>
    </Link>
  )
}
