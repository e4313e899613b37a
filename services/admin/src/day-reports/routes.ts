/** Reports of finished days: listed with the figures of a chart, read as files, made on request. */
import {
  reportDeliveryFormValues,
  requestedReportReasonValues,
  type DayReportQueryFormat,
  type DayReportSummary,
} from '@causeway/protos'
import { z } from 'zod'
import { answered, file, type OperationResult } from '../answer.ts'
import { currency, queryDay, queryNumber, word } from '../fields.ts'
import type { Json } from '../json.ts'
import { reads, writes, type Operation } from '../operation.ts'
import { shownAmount, shownTime } from '../shapes.ts'
import {
  findParticipant,
  refusedUpstream,
  unitsOf,
  unknownParticipant,
  type Deps,
} from '../upstream.ts'

const deadline = { deadline_ms: 30_000 }
const reports_max = 400
const reports_usual = 100

const participant = word.optional().meta({
  description: "Whose reports; the operator's reports of all participants when it is left out.",
})

const search = z.object({
  participant,
  from: queryDay.optional().meta({ description: 'The first day.' }),
  to: queryDay.optional().meta({ description: 'The last day.' }),
  limit: queryNumber
    .optional()
    .meta({ description: `At most ${reports_max}; ${reports_usual} when it is left out.` }),
})

const scope = currency.optional().meta({
  description: 'A currency with an end of day of its own; all others when it is left out.',
})

const wanted = z.object({
  participant,
  scope,
  version: queryNumber.optional().meta({ description: 'The last one when it is left out.' }),
  format: z.enum(['json', 'csv', 'html']).optional().meta({ description: 'Overrides Accept.' }),
})

const order = z.strictObject({
  day: z.iso.date(),
  scope,
  /** Ends the current day now; later payments belong to the next one. */
  endsNow: z.boolean().default(false),
})

const shownTotal = z.strictObject({ count: z.int(), value: shownAmount })
const duration = z.int().nullable()

const shownSummary = z
  .strictObject({
    day: z.iso.date(),
    scope: z.string().nullable(),
    version: z.int(),
    madeAt: shownTime,
    /** Of the report as JSON. */
    sha256: z.string(),
    currencies: z.array(
      z.strictObject({
        currency: z.string(),
        sent: shownTotal,
        received: shownTotal,
        failures: z.int(),
        p50_ms: duration,
        p95_ms: duration,
        p99_ms: duration,
      }),
    ),
  })
  .meta({ id: 'DayReportSummary' })

const shownState = z.strictObject({
  day: z.iso.date(),
  scope: z.string().nullable(),
  /** When the day ended. */
  until: shownTime,
  /** The last version that is stored; 0: none yet. */
  version: z.int(),
  /** Whether a version is still to be made. */
  requested: z.boolean(),
})

const shownRequest = z
  .strictObject({
    day: z.iso.date(),
    scope: z.string().nullable(),
    reason: z.enum(requestedReportReasonValues),
    /** When it is made, or tried again after a failure. */
    dueAt: shownTime,
    /** Why the last attempt failed; null: none has. */
    lastError: z.string().nullable(),
  })
  .meta({ id: 'RequestedReport' })

const delivery = z.strictObject({ delivery: z.enum(reportDeliveryFormValues) })

export function dayReportOperations(deps: Deps): readonly Operation[] {
  return [...reportOperations(deps), ...deliveryOperations(deps)]
}

function reportOperations(deps: Deps): readonly Operation[] {
  return [
    reads(
      '/reports',
      {
        about: 'The last versions of the reports of finished days, the newest day first',
        query: search,
        answers: { 200: z.array(shownSummary) },
      },
      async ({ query: { participant: name, from, to, limit = reports_usual } }) => {
        const asked = {
          ...readerOf(deps, name),
          fromDay: from,
          toDay: to,
          limit,
        }
        const { reports } = await deps.dayReports.ListDayReports(asked, deadline)
        return answered(200, reports.map(summaryBody))
      },
    ),
    writes(
      'POST',
      '/reports',
      order,
      {
        about:
          'Makes the reports of a finished day: the first version, or another one if figures have changed',
        answers: { 202: shownState },
        refuses: ['INVALID', 'DAY_NOT_OVER'],
      },
      ({ body, actor }) => makeReport(deps, body, actor),
    ),
    reads(
      '/reports/requested',
      {
        about: 'Finished days whose reports are still to be made, the earliest first',
        answers: { 200: z.array(shownRequest) },
      },
      async () => {
        const { reports } = await deps.dayReports.ListRequestedReports({})
        const shown = reports.map(({ scope: own, lastError, ...request }) => ({
          ...request,
          scope: own ?? null,
          lastError: lastError ?? null,
        }))
        return answered(200, shown)
      },
    ),
    reads(
      '/reports/:day',
      {
        about: 'The report of a day, as JSON, CSV or a page for printing',
        query: wanted,
        answers: { 200: z.looseObject({ day: z.iso.date(), version: z.int() }) },
        files: ['text/csv', 'text/html'],
        refuses: ['INVALID', 'REPORT_UNKNOWN'],
      },
      ({ day, query, wanted: accepted }) => readReport(deps, { day, accepted, ...query }),
    ),
  ]
}

async function makeReport(
  { dayReports }: Deps,
  { day, scope: own, endsNow }: z.infer<typeof order>,
  actor: string,
): Promise<OperationResult> {
  const ordered = { day, ...scopeOf(own), endsNow, actor }
  const { state, refusal } = await dayReports.MakeDayReport(ordered)
  if (refusal) return refusedUpstream(refusal)
  if (!state) throw new Error('a report was ordered with neither state nor refusal')
  const { until, scope: of = null, version = 0, requested } = state
  return answered(202, { day, scope: of, until, version, requested })
}

const formats: Readonly<Record<string, DayReportQueryFormat>> = {
  json: 'JSON',
  csv: 'CSV',
  html: 'HTML',
}

/** The bytes of the JSON are those that the hash is of. */
async function readReport(
  deps: Deps,
  asked: z.infer<typeof wanted> & { readonly day: string; readonly accepted: string },
): Promise<OperationResult> {
  const { day, accepted, participant: name, scope: own, version } = asked
  const byAccept = accepted.startsWith('text/') ? accepted.slice('text/'.length) : 'json'
  const type = asked.format ?? byAccept
  const report = {
    ...readerOf(deps, name),
    day,
    ...scopeOf(own),
    version,
    format: formats[type] ?? 'JSON',
  }
  const { file: found, refusal } = await deps.dayReports.GetDayReport(report, deadline)
  if (refusal) return refusedUpstream(refusal)
  if (!found) throw new Error('a report was read with neither file nor refusal')
  const { mediaType, content, fileName } = found
  return file(mediaType, [content], type === 'csv' ? fileName : undefined)
}

function deliveryOperations(deps: Deps): readonly Operation[] {
  const path = '/participants/:name/reportDelivery'
  return [
    reads(
      path,
      {
        about: 'How a participant gets its end-of-day reports by e-mail; the hub: all of them',
        answers: { 200: delivery },
        refuses: ['PARTICIPANT_UNKNOWN'],
      },
      async ({ name }) => {
        if ((await findParticipant(deps, name)) === undefined) return unknownParticipant(name)
        const found = await deps.dayReports.GetReportDelivery(readerOf(deps, name))
        return answered(200, { delivery: found.delivery })
      },
    ),
    writes(
      'PUT',
      path,
      delivery,
      {
        about: 'Sets how a participant gets its end-of-day reports by e-mail',
        answers: { 200: delivery },
        refuses: ['PARTICIPANT_UNKNOWN', 'INVALID'],
      },
      async ({ name, body, actor }) => {
        if ((await findParticipant(deps, name)) === undefined) return unknownParticipant(name)
        const change = { ...readerOf(deps, name), ...body, actor }
        const { refusal } = await deps.dayReports.SetReportDelivery(change)
        return refusal ? refusedUpstream(refusal) : answered(200, { ...body })
      },
    ),
  ]
}

/** The hub as a participant, and no participant, mean the operator's reports. */
function readerOf({ settings }: Deps, name: string | undefined) {
  return name === undefined || name === settings.HUB_NAME ? {} : { participant: name }
}

function scopeOf(own: string | undefined) {
  return own === undefined ? {} : { scope: own }
}

function summaryBody({ day, scope: own, version, madeAt, sha256, ...rest }: DayReportSummary) {
  return {
    day,
    scope: own ?? null,
    version,
    madeAt,
    sha256,
    currencies: rest.currencies.map((figures) => ({
      currency: figures.currency,
      sent: { count: Number(figures.sentCount), value: unitsOf(figures.sentValue) },
      received: { count: Number(figures.receivedCount), value: unitsOf(figures.receivedValue) },
      failures: Number(figures.failuresCount),
      p50_ms: millisecondsIn(figures.p50Ms),
      p95_ms: millisecondsIn(figures.p95Ms),
      p99_ms: millisecondsIn(figures.p99Ms),
    })),
  } satisfies Json
}

function millisecondsIn(text: string | undefined): number | null {
  return text === undefined ? null : Number(text)
}
