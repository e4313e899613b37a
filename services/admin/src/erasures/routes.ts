/**
 * Erasure of a month or of a person: one operator requests it, another one decides. A month is erased with
 * the decision, by dropping its key. A person is erased service by service, page by page, by calls that can
 * be repeated until the erasure is finished.
 */
import { randomUUID } from 'node:crypto'
import type { Erasure, ErasureAnswer } from '@causeway/protos'
import { z } from 'zod'
import { answered, type Answer } from '../answer.ts'
import { correlationId, oracleType, word } from '../fields.ts'
import type { Json } from '../json.ts'
import { verdict } from '../lifecycle/bodies.ts'
import { shownRequest } from '../lifecycle/shown.ts'
import { commands, reads, writes, type Operation } from '../operation.ts'
import { maskedIdentifier } from '../personal-data/domain/mask.ts'
import { shownTime } from '../shapes.ts'
import { refusedUpstream, type Deps } from '../upstream.ts'
import { erasePerson } from './person.ts'

/** Chosen by the client, so that the same request can be sent again; generated when left out. */
const base = { requestId: correlationId.optional() }

const ofMonths = ['MONTH_ERASED', 'MONTH_TOO_YOUNG'] as const

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
    state: z.enum(['PEND-APPROVAL', 'APPROVED', 'REJECTED']),
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

/** The requests and the decision of another person, named like those about participants. */
export function erasureDecisions(deps: Deps): readonly Operation[] {
  return [
    writes(
      'POST',
      '/CreateMonthErasure',
      ofMonth,
      {
        about: 'Requests that the key of a month is dropped: its messages can never be read again',
        answers: { 202: shownRequest },
        refuses: ['MONTH_UNKNOWN', ...ofMonths, 'REQUEST_PENDING', 'MODIFIED', 'INVALID'],
      },
      async ({ body: { requestId = randomUUID(), month }, actor }) =>
        requested(202, await deps.erasures.RequestErasure({ requestId, month, actor })),
    ),
    writes(
      'POST',
      '/CreatePersonErasure',
      ofPerson,
      {
        about: 'Requests that the data of one person is erased; amounts and ids of payments stay',
        answers: { 202: shownRequest },
        refuses: ['MODIFIED', 'INVALID'],
      },
      async ({ body: { requestId = randomUUID(), ...party }, actor }) => {
        const { partyIdType, partyIdentifier, partySubIdOrType: partySubId } = party
        const subId = partySubId === undefined ? {} : { partySubId }
        const person = { partyIdType, partyIdentifier, ...subId }
        return requested(202, await deps.erasures.RequestErasure({ requestId, person, actor }))
      },
    ),
    reads(
      '/GetPendingErasures',
      {
        about: 'Pending requests: erasures of months and persons; at most 1,000',
        answers: { 200: z.array(shownRequest) },
      },
      async () => {
        const { erasures } = await deps.erasures.ListErasures({ state: 'PEND-APPROVAL' })
        return answered(200, erasures.map(requestBody))
      },
    ),
    writes(
      'POST',
      '/ApproveErasure',
      verdict,
      {
        about:
          'Approves or rejects an erasure; the maker may not. Nothing brings back what is erased',
        answers: { 200: shownRequest },
        refuses: ['REQUEST_UNKNOWN', 'REQUEST_DECIDED', 'SAME_PERSON', ...ofMonths, 'INVALID'],
      },
      async ({ body: { requestId, decision, note = '' }, actor }) => {
        const message = { requestId, decision, note, actor }
        return requested(200, await deps.erasures.DecideErasure(message))
      },
    ),
  ]
}

function requested(status: 200 | 202, { erasure, refusal }: ErasureAnswer): Answer {
  if (refusal) return refusedUpstream(refusal)
  if (!erasure) throw new Error('an erasure was answered with neither request nor refusal')
  return answered(status, requestBody(erasure))
}

/** Like the requests of other kinds. */
function requestBody(erasure: Erasure) {
  return {
    requestId: erasure.requestId,
    type: erasure.month === undefined ? 'PersonErasure' : 'MonthErasure',
    state: erasure.state,
    createdBy: erasure.createdBy,
    createdDate: erasure.createdAt,
    change: erasure.month === undefined ? { ...personBody(erasure) } : { month: erasure.month },
    decidedBy: erasure.decidedBy ?? null,
    decidedDate: erasure.decidedAt ?? null,
    note: erasure.note,
  } satisfies Json
}

function erasureBody(erasure: Erasure) {
  return {
    requestId: erasure.requestId,
    month: erasure.month ?? null,
    person: personBody(erasure),
    state: erasure.state,
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
