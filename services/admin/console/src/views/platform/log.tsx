/** The log store: warnings and errors of all components. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useOperator } from '../../access.ts'
import { call } from '../../api.ts'
import type { FieldOf } from '../../change.tsx'
import type { LogLine } from '../../generated/operator-api.ts'
import { instant, More, SearchForm, useSearch } from '../../search.tsx'
import { Facts, Loading, Page, Problem, State, Table, Time } from '../../ui.tsx'

const names = ['bc', 'level', 'text', 'from', 'to'] as const
type LogField = (typeof names)[number]

const fields: readonly FieldOf<LogField>[] = [
  { name: 'bc', label: 'Component', optional: true },
  {
    name: 'level',
    label: 'Level',
    options: ['', 'info', 'warn', 'error', 'fatal'],
    optional: true,
    hint: 'and more severe',
  },
  { name: 'text', label: 'Text', type: 'search', optional: true },
  { name: 'from', label: 'From, UTC', type: 'datetime-local', optional: true },
  { name: 'to', label: 'Before, UTC', type: 'datetime-local', optional: true },
]

export function Log() {
  const { may } = useOperator()
  const searching = useSearch<LogField>('/log', names)
  const { key, search } = searching
  const found = useInfiniteQuery({
    queryKey: ['log', key],
    queryFn: ({ pageParam: cursor }) => {
      const times = { from: instant(search.from), to: instant(search.to) }
      return call('GET /read-log', { ...search, ...times, limit: '50', cursor })
    },
    initialPageParam: '',
    getNextPageParam: ({ cursor }) => cursor,
  })
  const lines = found.data?.pages.flatMap((page) => page.entries) ?? []
  return (
    <Page title="Log">
      <p>Warnings and errors of all components. Under load, lines may be missing.</p>
      <SearchForm fields={fields} of={searching} />
      {found.isError && <Problem error={found.error} />}
      {found.isPending ? (
        <Loading />
      ) : (
        <Table
          caption="Lines of the log, newest first"
          head={['Time', 'Level', 'Component', 'Message']}
          empty="No lines were found."
          rows={lines.map((line) => ({ key: line.id, cells: cellsOf(line) }))}
        />
      )}
      <More label="Older lines" of={found} />
      {may('VIEW_LOG_STATE') && <LogState />}
    </Page>
  )
}

function cellsOf(line: LogLine) {
  const { level, timestamp, bcName, component, message, meta } = line
  return [
    <Time key="when" at={timestamp} />,
    <State key="level" state={level} />,
    component === undefined ? bcName : `${bcName}, ${component}`,
    <>
      {message}
      {Object.keys(meta).length > 0 && (
        <details>
          <summary>
            more<span className="unseen"> of line {line.id}</span>
          </summary>
          <Facts of={meta} />
        </details>
      )}
    </>,
  ]
}

function LogState() {
  const state = useQuery({
    queryKey: ['log store'],
    queryFn: () => call('GET /log-read-build-log'),
  })
  if (state.data === undefined) return state.isError ? <Problem error={state.error} /> : <Loading />
  const { lines, oldestDate, droppedLines } = state.data
  return (
    <Facts
      of={{
        Lines: lines,
        'Oldest line': oldestDate === undefined ? 'none' : <Time at={oldestDate} />,
        'Lines not copied': droppedLines,
      }}
    />
  )
}
