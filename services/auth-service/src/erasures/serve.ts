/** Serves the keys of months to services, and erasures to operators, over gRPC. */
import { isCorrelationId } from '@causeway/fspiop'
import type { Handlers } from '@causeway/grpc'
import type { Erasure, erasuresService, monthKeysService } from '@causeway/protos'
import { isRefused, refusalMessage } from '../contract.ts'
import { refuse, type Refused } from '../domain/refusal.ts'
import { isErasable, isMonth } from './domain/month.ts'
import {
  decideErasure,
  recordDisclosure,
  reportErasure,
  requestErasure,
  type ErasureOutcome,
  type ErasureParts,
  type Subject,
} from './erasures.ts'
import type { MonthKeys } from './month-keys.ts'
import { allMonthKeys, erasures, type ErasureRequest } from './store.ts'

const note_length_max = 1_024
const listed_max = 1_000
const identifier_length_max = 128

export function serveMonthKeys(keys: MonthKeys): Handlers<typeof monthKeysService> {
  return {
    GetMonthKeys: async ({ months }) => ({ keys: [...(await keys.get(months, new Date()))] }),
  }
}

export function serveErasures(parts: ErasureParts): Handlers<typeof erasuresService> {
  const { db, kept_months } = parts
  return {
    ListMonths: async () => {
      const now = new Date()
      const keys = await allMonthKeys(db)
      return {
        months: keys.map(({ month, created_at, dropped_at }) => ({
          month,
          createdAt: created_at.toISOString(),
          erasable: dropped_at === null && isErasable(month, now, kept_months),
          ...(dropped_at === null ? {} : { erasedAt: dropped_at.toISOString() }),
        })),
      }
    },
    RequestErasure: async ({ requestId: id, month, person, actor: by }) => {
      const subject = subjectOf(month, person)
      if (isRefused(subject)) return answer(subject)
      if (!isCorrelationId(id)) return answer(refuse('INVALID', 'requestId is a UUID or a ULID'))
      return answer(await requestErasure(parts, { id, subject, by, now: new Date() }))
    },
    DecideErasure: async ({ requestId: id, decision, note, actor: by }) => {
      if (decision !== 'APPROVE' && decision !== 'REJECT') {
        return answer(refuse('INVALID', 'decision is APPROVE or REJECT'))
      }
      if (note.length > note_length_max) {
        return answer(refuse('INVALID', `note has at most ${note_length_max} characters`))
      }
      return answer(await decideErasure(parts, { id, decision, note, by, now: new Date() }))
    },
    ListErasures: async ({ state = null }) => ({
      erasures: (await erasures(db, state, listed_max)).map(erasureMessage),
    }),
    RecordDisclosure: async ({ subject, actor }) => {
      await recordDisclosure(parts, subject, actor)
      return {}
    },
    ReportErasure: async ({ requestId: id, progress, services }) => {
      if (progress === null) return answer(refuse('INVALID', 'progress is missing'))
      const { service, erased, next = null } = progress
      const report = { id, service, progress: { next, erased }, services, now: new Date() }
      return answer(await reportErasure(parts, report))
    },
  }
}

interface PersonMessage {
  readonly partyIdType: string
  readonly partyIdentifier: string
  readonly partySubId?: string | undefined
}

function subjectOf(
  month: string | undefined,
  person: PersonMessage | null | undefined,
): Subject | Refused {
  if (person) {
    const { partyIdType: type, partyIdentifier: identifier, partySubId: subId = null } = person
    const texts = [type, identifier, ...(subId === null ? [] : [subId])]
    return texts.every((text) => text.length > 0 && text.length <= identifier_length_max)
      ? { kind: 'PERSON', person: { type, identifier, subId } }
      : refuse('INVALID', `the parts of a party id have 1 to ${identifier_length_max} characters`)
  }
  return month !== undefined && isMonth(month)
    ? { kind: 'MONTH', month }
    : refuse('INVALID', 'month is not a month: 2026-08')
}

function answer(outcome: ErasureOutcome) {
  return outcome.type === 'REFUSE'
    ? { refusal: refusalMessage(outcome) }
    : { erasure: erasureMessage(outcome.request) }
}

function erasureMessage(request: ErasureRequest): Erasure {
  const { month, person, decidedBy, decidedAt, finishedAt } = request
  return {
    requestId: request.id,
    ...(month === null ? {} : { month }),
    person:
      person === null
        ? null
        : {
            partyIdType: person.type,
            partyIdentifier: person.identifier,
            ...(person.subId === null ? {} : { partySubId: person.subId }),
          },
    state: request.state,
    createdBy: request.createdBy,
    createdAt: request.createdAt.toISOString(),
    ...(decidedBy === null || decidedAt === null
      ? {}
      : { decidedBy, decidedAt: decidedAt.toISOString() }),
    note: request.note,
    progress: Object.entries(request.progress).map(([service, { next, erased }]) => ({
      service,
      erased,
      ...(next === null ? {} : { next }),
    })),
    ...(finishedAt === null ? {} : { finishedAt: finishedAt.toISOString() }),
  }
}
