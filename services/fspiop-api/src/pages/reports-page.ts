/**
 * `GET /reports` and `GET /reports/{day}`: an FSP reads the reports of its own finished days, as JSON,
 * CSV or a page for printing.
 */
import type { Calls } from '@causeway/grpc'
import {
  dayReportQueryFormatValues,
  type dayReportsService,
  type DayReportSummary,
} from '@causeway/protos'
import type { Request } from 'express'
import {
  openOwnPage,
  queryText,
  refuseWith,
  type OwnPageParts,
  type PageHandler,
} from './own-page.ts'
import { refuse } from '../refusals.ts'

const deadline = { deadline_ms: 30_000 }
const reports_max = 400
const version_max = 2 ** 31 - 1

export interface ReportParts extends OwnPageParts {
  readonly reports: Pick<Calls<typeof dayReportsService>, 'ListDayReports' | 'GetDayReport'>
}

export interface ReportPages {
  readonly list: PageHandler
  readonly one: PageHandler
}

export function openReportPages(parts: ReportParts): ReportPages {
  return {
    list: openOwnPage(parts, async (participant, request, response) => {
      const asked = readSearch(participant, request.query)
      if (asked === undefined) return refuseWith(response, refuse('REPORT_UNCLEAR'))
      const { reports } = await parts.reports.ListDayReports(asked, deadline)
      response.setHeader('cache-control', 'no-store')
      response.json({ participant, reports: reports.map(shown) })
    }),
    one: openOwnPage(parts, async (participant, request, response) => {
      const asked = readWanted(participant, request)
      if (asked === undefined) return refuseWith(response, refuse('REPORT_UNCLEAR'))
      const { file, refusal } = await parts.reports.GetDayReport(asked, deadline)
      if (!file) {
        const isUnknown = refusal?.reason === 'REPORT_UNKNOWN'
        return refuseWith(response, refuse(isUnknown ? 'REPORT_UNKNOWN' : 'REPORT_UNCLEAR'))
      }
      response.setHeader('cache-control', 'no-store')
      response.setHeader('x-content-type-options', 'nosniff')
      response.setHeader('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
      response.setHeader('content-disposition', `inline; filename="${file.fileName}"`)
      response.type(file.mediaType).send(file.content)
    }),
  }
}

type DayReportSearch = Parameters<ReportParts['reports']['ListDayReports']>[0]
type DayReportQuery = Parameters<ReportParts['reports']['GetDayReport']>[0]

function readSearch(participant: string, query: Request['query']): DayReportSearch | undefined {
  const fromDay = queryText(query, 'from', '')
  const toDay = queryText(query, 'to', '')
  const limit = wholeNumber(queryText(query, 'limit', '100'), reports_max)
  if (fromDay === undefined || toDay === undefined || !limit) return undefined
  if (![fromDay, toDay].every((day) => day === '' || isDay(day))) return undefined
  return {
    participant,
    fromDay: fromDay || undefined,
    toDay: toDay || undefined,
    limit,
  }
}

function readWanted(participant: string, { params, query }: Request): DayReportQuery | undefined {
  const day = params['day'] ?? ''
  const scope = queryText(query, 'scope', '')
  const version = wholeNumber(queryText(query, 'version', '0'), version_max)
  const asked = queryText(query, 'format', 'json')?.toUpperCase()
  const format = dayReportQueryFormatValues.find((known) => known === asked)
  if (scope === undefined || version === undefined || format === undefined) return undefined
  if (typeof day !== 'string') return undefined
  return {
    participant,
    day,
    scope: scope || undefined,
    version: version || undefined,
    format,
  }
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text)
}

function wholeNumber(text: string | undefined, max: number): number | undefined {
  const number = /^\d{1,10}$/.test(text ?? '') ? Number(text) : max + 1
  return number <= max ? number : undefined
}

/** Amounts in the format of FSPIOP. */
function shown({ day, scope, version, madeAt, sha256, currencies }: DayReportSummary) {
  return {
    day,
    ...(scope === undefined ? {} : { scope }),
    version,
    madeAt,
    sha256,
    currencies: currencies.map(({ currency, ...figures }) => ({
      currency,
      sent: { count: Number(figures.sentCount), value: figures.sentValue },
      received: { count: Number(figures.receivedCount), value: figures.receivedValue },
      failures: Number(figures.failuresCount),
    })),
  }
}
