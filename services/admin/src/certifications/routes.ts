/** Reports of the certification kit about participants: uploaded as the kit writes them, listed, read. */
import type { Certification, CertificationResult } from '@causeway/protos'
import { certificationResultRoleValues, certificationResultStateValues } from '@causeway/protos'
import { z } from 'zod'
import { answered, refused, type OperationResult } from '../answer.ts'
import { cursor, pageSize, text, time, wholeNumber, word } from '../fields.ts'
import type { Json } from '../json.ts'
import { reads, writes, type Operation } from '../operation.ts'
import { shownTime } from '../shapes.ts'
import { refusedUpstream, type Deps } from '../upstream.ts'

const body_bytes_max = 4 * 1024 * 1024
const results_max = 2_000
const deadline = { deadline_ms: 30_000 }

const role = z.enum(certificationResultRoleValues)

const ofCase = {
  id: word,
  title: text.min(1).max(1_024),
  role,
  section: word,
}

/** What the kit writes as well. */
const notStored = {
  ms: wholeNumber(0, 2 ** 31 - 1).optional(),
  messages: z.array(z.unknown()).optional().meta({ description: 'Not stored.' }),
}

const result = z.discriminatedUnion('state', [
  z.strictObject({ ...ofCase, state: z.literal('passed'), ...notStored }),
  z.strictObject({
    ...ofCase,
    state: z.literal('failed'),
    expected: z.string(),
    seen: z.string(),
    ...notStored,
  }),
  z.strictObject({ ...ofCase, state: z.literal('notRun'), why: z.string(), ...notStored }),
])

const count = wholeNumber(0, results_max)

const report = z
  .strictObject({
    fsp: word,
    callbackUrl: text.min(1).max(2_048),
    startedAt: time,
    finishedAt: time,
    passed: count,
    failed: count,
    notRun: count,
    results: z.array(result).min(1).max(results_max),
  })
  .meta({ description: 'The file report.json of `npm run certify`; at most 4 MiB.' })

type UploadedReport = z.infer<typeof report>

const summary = {
  id: z.int(),
  fsp: z.string(),
  callbackUrl: z.string(),
  startedAt: shownTime,
  finishedAt: shownTime,
  passed: z.int(),
  failed: z.int(),
  notRun: z.int(),
  uploadedBy: z.string(),
  uploadedAt: shownTime,
}

const shownSummary = z.strictObject(summary).meta({ id: 'Certification' })

const shownResult = z
  .strictObject({
    id: z.string(),
    title: z.string(),
    role,
    section: z.string(),
    state: z.enum(certificationResultStateValues),
    /** Of a failed case; null of others. */
    expected: z.string().nullable(),
    seen: z.string().nullable(),
    /** Of a case that was not run; null of others. */
    why: z.string().nullable(),
  })
  .meta({ id: 'CertificationResult' })

const shownReport = z
  .strictObject({ ...summary, results: z.array(shownResult) })
  .meta({ id: 'CertificationReport' })

const shownPage = z.strictObject({
  certifications: z.array(shownSummary),
  /** For the next page; null: there is none. */
  cursor: z.string().nullable(),
})

const search = z.object({ cursor: cursor.optional(), limit: pageSize(1_000).optional() })

export function certificationOperations(deps: Deps): readonly Operation[] {
  const path = '/participants/:name/certifications'
  return [
    writes(
      'POST',
      path,
      report,
      {
        about:
          'Stores a report of the certification kit about a participant; 200 when the same report is there already',
        answers: { 200: shownSummary, 201: shownSummary },
        refuses: ['PARTICIPANT_UNKNOWN'],
        body_bytes_max,
      },
      ({ name, body, actor }) => storeReport(deps, name, body, actor),
    ),
    reads(
      path,
      {
        about: "A participant's certification reports without their cases, newest first",
        query: search,
        answers: { 200: shownPage },
        refuses: ['PARTICIPANT_UNKNOWN'],
      },
      async ({ name, query: { cursor: after, limit } }) => {
        const asked = {
          name,
          ...(after === undefined ? {} : { cursor: after }),
          ...(limit === undefined ? {} : { limit }),
        }
        const { page, refusal } = await deps.certifications.ListCertifications(asked)
        if (refusal) return refusedUpstream(refusal)
        if (!page) throw new Error('reports were listed with neither page nor refusal')
        const certifications = page.certifications.map(summaryBody)
        return answered(200, { certifications, cursor: page.next ?? null })
      },
    ),
    reads(
      `${path}/:id`,
      {
        about: 'A certification report with the result of each case',
        answers: { 200: shownReport },
        refuses: ['PARTICIPANT_UNKNOWN', 'REPORT_UNKNOWN'],
      },
      async ({ name, id }) => {
        const { whole, refusal } = await deps.certifications.GetCertification(
          { name, id },
          deadline,
        )
        if (refusal) return refusedUpstream(refusal)
        if (!whole?.certification) throw new Error('a report was read with neither it nor refusal')
        const { certification, results } = whole
        return answered(200, { ...summaryBody(certification), results: results.map(resultBody) })
      },
    ),
  ]
}

async function storeReport(
  { certifications }: Deps,
  name: string,
  body: UploadedReport,
  actor: string,
): Promise<OperationResult> {
  const fault = faultOf(name, body)
  if (fault !== undefined) return refused('INVALID', fault)
  const { callbackUrl, startedAt, finishedAt, results } = body
  const { certification, isNew, refusal } = await certifications.StoreCertification(
    {
      name,
      callbackUrl,
      startedAt: new Date(startedAt).toISOString(),
      finishedAt: new Date(finishedAt).toISOString(),
      results: results.map(storedResult),
      actor,
    },
    deadline,
  )
  if (refusal) return refusedUpstream(refusal)
  if (!certification) throw new Error('a report was stored with neither it nor refusal')
  return answered(isNew ? 201 : 200, summaryBody(certification))
}

function storedResult(given: UploadedReport['results'][number]) {
  const { id: caseId, ms: _, messages: __, ...rest } = given
  return { caseId, ...rest }
}

/** Why the report is not one about the participant, or not as the kit has written it. */
function faultOf(name: string, { fsp, results, ...counts }: UploadedReport): string | undefined {
  if (fsp !== name) return `the report is about ${fsp}`
  for (const state of certificationResultStateValues) {
    const found = results.filter((each) => each.state === state).length
    if (found !== counts[state]) return `${state} is ${counts[state]}, of ${found} such results`
  }
  return undefined
}

function summaryBody(certification: Certification) {
  const { id, name: fsp, callbackUrl, startedAt, finishedAt, ...rest } = certification
  const { passed, failed, notRun, uploadedBy, uploadedAt } = rest
  return {
    id,
    fsp,
    callbackUrl,
    startedAt,
    finishedAt,
    passed,
    failed,
    notRun,
    uploadedBy,
    uploadedAt,
  } satisfies Json
}

function resultBody({ caseId, title, role: of, section, state, ...rest }: CertificationResult) {
  return {
    id: caseId,
    title,
    role: of,
    section,
    state,
    expected: rest.expected ?? null,
    seen: rest.seen ?? null,
    why: rest.why ?? null,
  } satisfies Json
}
