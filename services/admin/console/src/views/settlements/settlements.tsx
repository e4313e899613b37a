/** Windows and settlements, with buttons to close and settle where the state allows it. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useOperator } from '../../access.ts'
import { call, ApiRefusal } from '../../api.ts'
import { AskButton, listOf } from '../../change.tsx'
import { canClose, canSettle, settlesLater, waitsFor } from '../../domain/settlement-steps.ts'
import type { Settlement, SettlementModel, SettlementWindow } from '../../generated/operator-api.ts'
import { Card, Loaded, Page, State, Table, Time } from '../../ui.tsx'

const spans = ['7 days', '30 days', '365 days', 'all time'] as const
type Span = (typeof spans)[number]

const day_ms = 86_400_000

function since(span: Span) {
  const days = span === 'all time' ? Infinity : Number.parseInt(span, 10)
  const from = days === Infinity ? 0 : Math.floor(Date.now() / day_ms - days) * day_ms
  return { fromDateTime: new Date(from).toISOString() }
}

/** A hub with COMPATIBILITY=mojaloop refuses a search without results. */
function noneFound(error: unknown): readonly SettlementWindow[] {
  if (error instanceof ApiRefusal && error.code === '3100') return []
  throw error
}

/** Windows opened in that time, and all that are not settled yet. */
export const windowsQuery = (span: Span) => ({
  queryKey: ['windows', span],
  queryFn: async () => {
    const searches = [
      since(span),
      ...['OPEN', 'CLOSED', 'PENDING_SETTLEMENT', 'ABORTED'].map((state) => ({ state })),
    ]
    const found = await Promise.all(
      searches.map((search) => call('GET /v2/settlementWindows', search).catch(noneFound)),
    )
    const byId = new Map(found.flat().map((window) => [window.id, window]))
    return [...byId.values()].toSorted((a, b) => b.id - a.id)
  },
  refetchInterval: 5_000,
})

export function Settlements() {
  const { may } = useOperator()
  const [span, setSpan] = useState<Span>('30 days')
  const windows = useQuery(windowsQuery(span))
  const settlements = useQuery({
    queryKey: ['settlements', span],
    queryFn: () => call('GET /v2/settlements', since(span)),
    refetchInterval: 5_000,
  })
  const models = useQuery({
    queryKey: ['models'],
    queryFn: () => call('GET /settlementModels'),
    enabled: may('VIEW_SETTLEMENT_MODELS'),
  })
  return (
    <Page title="Settlement">
      <p>
        <label>
          Started in the last{' '}
          <select value={span} onChange={(event) => setSpan(event.target.value as Span)}>
            {spans.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
      </p>
      <Card title="Windows">
        <Loaded query={windows}>
          {(all) => (
            <>
              {(models.data ?? []).filter(settlesLater).map((model) => (
                <Begin key={model.name} model={model} models={models.data ?? []} windows={all} />
              ))}
              <Windows windows={all} />
            </>
          )}
        </Loaded>
      </Card>
      <Card title="Settlements">
        <Loaded query={settlements}>{(all) => <SettlementTable settlements={all} />}</Loaded>
      </Card>
    </Page>
  )
}

function Windows({ windows }: { windows: readonly SettlementWindow[] }) {
  const { may } = useOperator()
  return (
    <Table
      caption="Settlement windows, newest first"
      head={['Window', 'State', 'Currencies', 'Opened', 'Changed', 'Next']}
      empty="No settlement windows."
      rows={windows.map((window) => ({
        key: window.id,
        cells: [
          window.id,
          <>
            <State state={window.state} /> <small>{window.reason}</small>
          </>,
          [...new Set(window.content.map(({ currencyId }) => currencyId))].join(', ') || '–',
          <Time key="opened" at={window.createdDate} />,
          <Time key="changed" at={window.changedDate} />,
          canClose(window.state) && may('MANAGE_SETTLEMENTS') && (
            <Close key="next" id={window.id} />
          ),
        ],
      }))}
    />
  )
}

function Close({ id }: { id: number }) {
  return (
    <AskButton<'reason'>
      label={`Close window ${id}`}
      title={`Close window ${id}?`}
      text={<p>The next window opens at once; payments continue. A window cannot be reopened.</p>}
      fields={[{ name: 'reason', label: 'Reason', initial: 'end of the window' }]}
      way={{
        label: 'Close window',
        run: ({ reason }) =>
          call('POST /v2/settlementWindows/{id}', { id, body: { state: 'CLOSED', reason } }),
      }}
    />
  )
}

/** All unsettled windows are preselected. */
function Begin({
  model,
  models,
  windows,
}: {
  model: SettlementModel
  models: readonly SettlementModel[]
  windows: readonly SettlementWindow[]
}) {
  const { may } = useOperator()
  const [, navigate] = useLocation()
  const waiting = windows
    .filter(({ state }) => canSettle(state))
    .filter(({ content }) => content.some((each) => waitsFor(each, model, models)))
    .map(({ id }) => `${id}`)
  if (waiting.length === 0 || !may('MANAGE_SETTLEMENTS')) return null
  return (
    <AskButton<'windows' | 'reason'>
      label={`Settle under ${model.name}`}
      kind="primary"
      title={`Settle windows under ${model.name}?`}
      text={<p>Nets are calculated over these windows. No money moves yet.</p>}
      fields={[
        { name: 'windows', label: 'Windows', checks: waiting, initial: waiting.join(',') },
        { name: 'reason', label: 'Reason', initial: 'settlement of the day' },
      ]}
      way={{
        label: 'Begin settlement',
        run: async (values) => {
          const { id } = await call('POST /v2/settlements', {
            body: {
              settlementModel: model.name,
              reason: values.reason,
              settlementWindows: listOf(values.windows).map((each) => ({ id: Number(each) })),
            },
          })
          navigate(`/settlements/${id}`)
        },
      }}
    />
  )
}

function SettlementTable({ settlements }: { settlements: readonly Settlement[] }) {
  return (
    <Table
      caption="Settlements, newest first"
      head={['Settlement', 'State', 'Model', 'Windows', 'Begun', 'Changed']}
      empty="No settlements in this time."
      rows={settlements
        .toSorted((a, b) => b.id - a.id)
        .map((settlement) => ({
          key: settlement.id,
          cells: [
            <Link key="id" href={`/settlements/${settlement.id}`}>
              Settlement {settlement.id}
            </Link>,
            <State key="state" state={settlement.state} />,
            settlement.settlementModel,
            settlement.settlementWindows.map(({ id }) => id).join(', '),
            <Time key="begun" at={settlement.createdDate} />,
            <Time key="changed" at={settlement.changedDate} />,
          ],
        }))}
    />
  )
}
