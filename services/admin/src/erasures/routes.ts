/**
 * Erasure of a month or of a person: one operator requests it, another one decides. A month is erased with
 * the decision, by dropping its key. A person is erased service by service, page by page, by calls that can
 * be repeated until the erasure is finished.
 */
import type { Erasure } from '@causeway/protos'
import { z } from 'zod'
import { answered } from '../answer.ts'
import { ofRequest, requestApproval } from '../approvals/calls.ts'
import { ofChange } from '../approvals/routes.ts'
import { shownRequest, shownStates } from '../approvals/shown.ts'
import { correlationId, oracleType, word } from '../fields.ts'
import type { Json } from '../json.ts'
import { commands, reads, writes, type Operation } from '../operation.ts'
import { maskedIdentifier } from '../story/domain/mask.ts'
import { shownTime } from '../shapes.ts'
import type { Deps } from '../upstream.ts'
import { erasePerson } from './person.ts'

/** Chosen by the client, so that the same request can be sent again; generated when left out. */
const base = { requestId: correlationId.optional() }

const ofMonth = z.strictObject({
  ...base,
  month: z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, { error: 'must be a month: 2026-08' }),
})

const ofPerson = z.strictObject({
  ...base,
  partyIdType: oracleType,
  partyIdentifier: word,
  partySubIdOrType: word.optional(),
})

const shownMonths = z.array(
  z
    .strictObject({
      month: z.string(),
      createdAt: shownTime,
      /** null: it can be read. */
      erasedAt: shownTime.nullable(),
      /** Its retention has ended. */
      erasable: z.boolean(),
    })
    .meta({ id: 'Month' }),
)

const shownErasure = z
  .strictObject({
    requestId: z.string(),
    /** null: of a person. */
    month: z.string().nullable(),
    /** Masked; null of a month, and after the person is erased. */
    person: z.strictObject({ partyIdType: z.string(), partyIdentifier: z.string() }).nullable(),
    state: z.enum(Object.values(shownStates)),
    createdBy: z.string(),
    createdAt: shownTime,
    decidedBy: z.string().nullable(),
    decidedAt: shownTime.nullable(),
    /** Of a person, by service. */
    progress: z.array(
      z.strictObject({ service: z.string(), erased: z.int(), isDone: z.boolean() }),
    ),
    finishedAt: shownTime.nullable(),
  })
  .meta({ id: 'Erasure' })

/** The months that are kept, and what was erased. */
export function erasureOperations(deps: Deps): readonly Operation[] {
  return [
    reads(
      '/erasures/months',
      {
        about: 'The months whose messages are encrypted, the newest first',
        answers: { 200: shownMonths },
      },
      async () => {
        const { months } = await deps.erasures.ListMonths({})
        return answered(
          200,
          months.map(({ month, createdAt, erasedAt = null, erasable }) => ({
            month,
            createdAt,
            erasedAt,
            erasable,
          })),
        )
      },
    ),
    reads(
      '/erasures',
      {
        about: 'Erasures of months and persons, the newest first, at most 1,000',
        answers: { 200: z.array(shownErasure) },
      },
      async () => {
        const { erasures } = await deps.erasures.ListErasures({})
        return answered(200, erasures.map(erasureBody))
      },
    ),
    commands(
      'POST',
      '/erasures/:requestId/run',
      {
        about: 'Goes on with an approved erasure of a person; repeat it until it is finished',
        answers: { 200: shownErasure },
        refuses: ['REQUEST_UNKNOWN', 'REQUEST_PENDING'],
      },
      async ({ requestId }) => {
        const erased = await erasePerson(deps, requestId)
        return 'outcome' in erased ? erased : answered(200, erasureBody(erased))
      },
    ),
  ]
}

/** Requests that another person decides. */
export function erasureRequests(deps: Deps): readonly Operation[] {
  return [
    writes(
      'POST',
      '/CreateMonthErasure',
      ofMonth,
      {
        about: 'Requests that the key of a month is dropped: its messages can never be read again',
        answers: { 202: shownRequest },
        refuses: [...ofRequest, ...ofChange.MonthErasure],
      },
      ({ body: { requestId, month }, actor }) =>
        requestApproval(deps, 'MonthErasure', { month }, { requestId, actor }),
    ),
    writes(
      'POST',
      '/CreatePersonErasure',
      ofPerson,
      {
        about: 'Requests that the data of one person is erased; amounts and ids of payments stay',
        answers: { 202: shownRequest },
        refuses: ofRequest,
      },
      ({ body: { requestId, partySubIdOrType: partySubId, ...party }, actor }) => {
        const person = partySubId === undefined ? party : { ...party, partySubId }
        return requestApproval(deps, 'PersonErasure', person, { requestId, actor })
      },
    ),
  ]
}

function erasureBody(erasure: Erasure) {
  return {
    requestId: erasure.requestId,
    month: erasure.month ?? null,
    person: personBody(erasure),
    state: shownStates[erasure.state],
    createdBy: erasure.createdBy,
    createdAt: erasure.createdAt,
    decidedBy: erasure.decidedBy ?? null,
    decidedAt: erasure.decidedAt ?? null,
    progress: erasure.progress.map(({ service, erased, next }) => ({
      service,
      erased,
      isDone: next === undefined,
    })),
    finishedAt: erasure.finishedAt ?? null,
  } satisfies Json
}

function personBody({ person }: Erasure) {
  if (!person) return null
  const { partyIdType, partyIdentifier } = person
  return { partyIdType, partyIdentifier: maskedIdentifier(partyIdentifier) }
}
