/** Reports of finished days: charts, the list of days with their files, and their e-mail delivery. */
import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { useOperator } from '../../access.ts'
import { call, download } from '../../api.ts'
import { ActionButton, AskButton, ChangeForm } from '../../change.tsx'
import type { DayReportSummary, RequestedReport } from '../../generated/operator-api.ts'
import { Card, Loaded, Money, Page, Table, Time } from '../../ui.tsx'
import { fspsOf, isHub, useParticipants } from '../participants.tsx'
import { ReportCharts } from './report-charts.tsx'

const everyone = 'All participants'
const days_max = '90'

export function Reports() {
  const { may } = useOperator()
  const participants = useParticipants()
  const [chosen, choose] = useState(everyone)
  const participant = chosen === everyone ? '' : chosen
  const reports = useQuery({
    queryKey: ['reports', participant],
    queryFn: () => call('GET /reports', { participant, limit: days_max }),
    refetchInterval: 15_000,
  })
  const requested = useQuery({
    queryKey: ['requested-reports'],
    queryFn: () => call('GET /reports/requested'),
    refetchInterval: 5_000,
  })
  const names = fspsOf(participants.data ?? []).map(({ name }) => name)
  const hub = participants.data?.find(isHub)?.name
  const reader = participant === '' ? hub : participant
  return (
    <Page title="Reports">
      <p>
        <label>
          Reports of{' '}
          <select value={chosen} onChange={(event) => choose(event.target.value)}>
            {[everyone, ...names].map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      </p>
      <Loaded query={reports}>
        {(all) => (
          <>
            <Charts reports={all} />
            <Card title="Days">
              <Requested of={requested.data ?? []} />
              <Days participant={participant} reports={all} />
              {may('MANAGE_REPORTS') && <Make />}
            </Card>
          </>
        )}
      </Loaded>
      {reader !== undefined && <Delivery key={reader} name={reader} />}
    </Page>
  )
}

function Charts({ reports }: { reports: readonly DayReportSummary[] }) {
  const currencies = reports.flatMap((report) => report.currencies.map(({ currency }) => currency))
  return [...new Set(currencies)].toSorted().map((currency) => (
    <ReportCharts
      key={currency}
      currency={currency}
      days={reports
        .flatMap(({ day, currencies: all }) => {
          const figures = all.find((each) => each.currency === currency)
          return figures === undefined ? [] : [{ day, figures }]
        })
        .toReversed()}
    />
  ))
}

/** Days that have ended and have no report yet, or no version with their late transfers. */
function Requested({ of }: { of: readonly RequestedReport[] }) {
  return of.map(({ day, scope, dueAt, lastError }) => (
    <p key={`${day} ${scope ?? ''}`} role="status">
      The reports of {scope === null ? day : `${day} ${scope}`} are made at <Time at={dueAt} />
      {lastError !== null && `; the last attempt failed: ${lastError}`}
    </p>
  ))
}

function Days({
  participant,
  reports,
}: {
  participant: string
  reports: readonly DayReportSummary[]
}) {
  return (
    <Table
      caption="Finished days, newest first"
      head={['Day', 'Version', 'Stored', '#Transfers', '#Value', '#Failures', 'Files']}
      empty="There are no reports yet."
      rows={reports.map((report) => ({
        key: `${report.day} ${report.scope ?? ''}`,
        cells: [
          report.scope === null ? report.day : `${report.day} ${report.scope}`,
          report.version,
          <Time key="stored" at={report.madeAt} />,
          <Lines key="transfers" of={report} shown={({ sent }) => sent.count} />,
          <Lines
            key="value"
            of={report}
            shown={({ sent, currency }) => <Money amount={sent.value} currency={currency} />}
          />,
          <Lines key="failures" of={report} shown={({ failures }) => failures} />,
          <Save key="files" participant={participant} report={report} />,
        ],
      }))}
    />
  )
}

type Figures = DayReportSummary['currencies'][number]

/** One line for each currency. */
function Lines({
  of: { currencies },
  shown,
}: {
  of: DayReportSummary
  shown: (figures: Figures) => ReactNode
}) {
  return currencies.map((figures) => <div key={figures.currency}>{shown(figures)}</div>)
}

function Save({ participant, report }: { participant: string; report: DayReportSummary }) {
  const { day, scope, version } = report
  const save = (format: 'csv' | 'json' | 'html') => () =>
    download(
      `report-${participant === '' ? 'all' : participant}-${day}-v${version}.${format}`,
      'GET /reports/{day}',
      { day, participant, scope: scope ?? '', version: String(version), format },
    )
  return (
    <div className="line">
      <ActionButton label="CSV" run={save('csv')} />
      <ActionButton label="JSON" run={save('json')} />
      <ActionButton label="Page" run={save('html')} />
    </div>
  )
}

function Make() {
  return (
    <AskButton<'day' | 'endsNow'>
      label="Make reports"
      title="Make the reports of a day?"
      text={
        <p>
          A finished day gets its reports, or another version if figures have changed. The current
          day can be ended now: later payments belong to the next one.
        </p>
      }
      fields={[
        { name: 'day', label: 'Day', type: 'date' },
        { name: 'endsNow', label: 'Current day', options: ['ends as scheduled', 'ends now'] },
      ]}
      way={{
        label: 'Make reports',
        run: ({ day, endsNow }) =>
          call('POST /reports', { body: { day, endsNow: endsNow === 'ends now' } }),
      }}
    />
  )
}

function Delivery({ name }: { name: string }) {
  const { may } = useOperator()
  const delivery = useQuery({
    queryKey: ['report-delivery', name],
    queryFn: () => call('GET /participants/{name}/reportDelivery', { name }),
  })
  return (
    <Card title={`E-mail to ${name}`}>
      <p>
        Sent to the address for end-of-day reports of {name}. LINK names the place of the report;
        ATTACHMENT has it as CSV and as a page for printing.
      </p>
      <Loaded query={delivery}>
        {({ delivery: current }) => (
          <>
            <p>Delivery: {current}</p>
            {may('MANAGE_REPORTS') && (
              <ChangeForm<'delivery'>
                fields={[
                  {
                    name: 'delivery',
                    label: 'Delivery',
                    options: ['OFF', 'LINK', 'ATTACHMENT'],
                    initial: current,
                  },
                ]}
                ways={[
                  {
                    label: 'Set delivery',
                    run: (body) => call('PUT /participants/{name}/reportDelivery', { name, body }),
                    done: 'The delivery is set.',
                  },
                ]}
              />
            )}
          </>
        )}
      </Loaded>
    </Card>
  )
}
