/** A report as a file: the stored JSON, a table as CSV, or a page for reading and printing. */
import type { DayReportQueryFormat } from '@causeway/protos'
import { csvLine } from '@causeway/records'
import { readDocument, type Document } from './document.ts'
import { operator, type Section, type Total } from './domain/report.ts'
import { pageOf } from './page.ts'
import type { StoredReport } from './report-store.ts'
import { schemeScope } from './domain/calendar.ts'

export interface ReportFile {
  readonly fileName: string
  readonly mediaType: string
  readonly content: string
}

export function renderReport(report: StoredReport, format: DayReportQueryFormat): ReportFile {
  const fileName = `${fileNameOf(report)}.${format.toLowerCase()}`
  switch (format) {
    case 'JSON':
      return { fileName, mediaType: 'application/json', content: report.body }
    case 'CSV':
      return { fileName, mediaType: 'text/csv', content: csvOf(readDocument(report.body)) }
    case 'HTML': {
      const content = pageOf(readDocument(report.body), report.sha256)
      return { fileName, mediaType: 'text/html', content }
    }
  }
}

/** `report-greenbank-2026-11-25-v1`; the operator's is of `all`. */
export function fileNameOf({
  participant,
  day,
  scope,
  version,
}: Pick<StoredReport, 'participant' | 'day' | 'scope' | 'version'>): string {
  const name = participant === operator ? 'all' : participant
  return ['report', name, day, ...(scope === schemeScope ? [] : [scope]), `v${version}`].join('-')
}

const columns = ['day', 'version', 'participant', 'currency', 'figure', 'detail', 'count', 'value']

/** One figure in each line, so that a spreadsheet can filter them. */
function csvOf(document: Document): string {
  const { day, version, participant, currencies, participants = [], windowsClosed } = document
  const line = (name: string, currency: string, cells: readonly (string | number)[]) =>
    csvLine([day, version, name, currency, ...cells])
  const ofSection = (name: string, section: Section) =>
    cellsOf(section).map((cells) => line(name, section.currency, cells))
  const windows = windowsClosed.flatMap(({ id, nets }) =>
    nets.map(({ participant: name, currency, settlementModel, net, transfersCount }) =>
      line(name, currency, ['settlement window', `${id} ${settlementModel}`, transfersCount, net]),
    ),
  )
  return [
    csvLine(columns),
    ...currencies.flatMap((section) => ofSection(participant, section)),
    ...participants.flatMap((section) => ofSection(section.participant, section)),
    ...windows,
  ].join('')
}

type Cells = readonly [figure: string, detail: string, count: number | '', value: string | number]

function cellsOf(section: Section): readonly Cells[] {
  const { sent, received, fees, failures, latency, position } = section
  const total = (figure: string, detail: string, { count, value }: Total): Cells => [
    figure,
    detail,
    count,
    value,
  ]
  const transfers = Object.entries({ sent, received }).flatMap(
    ([side, { total: all, ...kinds }]) => [
      total(side, 'total', all),
      total(side, 'single', kinds.single),
      total(side, 'bulk item', kinds.bulkItems),
      total(side, 'third-party', kinds.thirdParty),
    ],
  )
  const failed = Object.entries(failures).flatMap(([side, reasons]) =>
    reasons.map((reason) =>
      total(`failed ${side}`, `${reason.errorCode} ${reason.description}`.trim(), reason),
    ),
  )
  const durations = Object.entries(latency).flatMap(([side, { count, p50_ms, p95_ms, p99_ms }]) =>
    Object.entries({ p50_ms, p95_ms, p99_ms }).map(([name, value]): Cells => [
      `latency ${side}`,
      name,
      count,
      value ?? '',
    ]),
  )
  return [
    ...transfers,
    total('fees', 'paid', fees.paid),
    total('fees', 'received', fees.received),
    ...failed,
    ...durations,
    ['position', 'end of day', '', position],
  ]
}
