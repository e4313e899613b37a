/**
 * Dead letters: callbacks whose delivery has failed permanently. Their bytes are stored and can be
 * sent again.
 */
import {
  deliveryLegRoleValues,
  present,
  resendAnswerOutcomeValues,
  type DeadLetter,
} from '@causeway/protos'
import { z } from 'zod'
import { answered, refused, type OperationResult } from '../answer.ts'
import { notificationId, pageSize, word } from '../fields.ts'
import type { Json } from '../json.ts'
import { maskedOrNull, maskedText } from '../story/domain/mask.ts'
import { commands, reads, writes, type Operation } from '../operation.ts'
import { shownTime } from '../shapes.ts'
import type { Deps } from '../upstream.ts'

const letters_max = 1_000
const letters_usual = 100

const resending = z.strictObject({
  notificationIds: z.array(notificationId).min(1).max(letters_max),
})

const search = z.object({
  fspId: word.optional(),
  limit: pageSize(letters_max).optional(),
})

const shownDeadLetter = z
  .strictObject({
    notificationId: z.string(),
    fspId: z.string(),
    entityId: z.string(),
    role: z.enum(deliveryLegRoleValues),
    cause: z.string(),
    method: z.string(),
    url: z.string(),
    attempts: z.int(),
    httpStatus: z.int().nullable(),
    lastError: z.string().nullable(),
    takenAt: shownTime,
  })
  .meta({ id: 'DeadLetter' })

const shownResending = z.strictObject({
  notificationId: z.string(),
  outcome: z.enum(resendAnswerOutcomeValues),
})

export function deadLetterOperations(deps: Deps): readonly Operation[] {
  const path = '/dead-letters'
  return [
    reads(
      path,
      {
        about: 'Dead letters, newest first',
        query: search,
        answers: { 200: z.array(shownDeadLetter) },
      },
      ({ query }) => listDeadLetters(deps, query),
    ),
    writes(
      'POST',
      `${path}/resend`,
      resending,
      {
        about: 'Sends several dead letters again, each by itself',
        answers: { 202: z.array(shownResending) },
      },
      ({ body, actor }) => resendSome(deps, body.notificationIds, actor),
    ),
    commands(
      'POST',
      `${path}/:notificationId/resend`,
      {
        about: 'Sends one dead letter again',
        answers: { 202: shownResending },
        refuses: ['DEAD_LETTER_UNKNOWN', 'DEADLINE_PASSED'],
      },
      ({ notificationId, actor }) => resendOne(deps, notificationId, actor),
    ),
  ]
}

/** Newest first. */
async function listDeadLetters(
  deps: Deps,
  { fspId, limit = letters_usual }: z.infer<typeof search>,
): Promise<OperationResult> {
  const { deadLetters } = await deps.notifications.ListDeadLetters({ limit, ...present({ fspId }) })
  return answered(200, deadLetters.map(letterBody))
}

/** Each by itself: an unknown or expired one does not affect the others. */
async function resendSome(
  deps: Deps,
  ids: readonly string[],
  actor: string,
): Promise<OperationResult> {
  const { answers } = await deps.notifications.ResendDeadLetters({ ids: [...ids], actor })
  return answered(
    202,
    answers.map(({ notificationId, outcome }) => ({ notificationId, outcome })),
  )
}

async function resendOne(deps: Deps, id: string, actor: string): Promise<OperationResult> {
  const { answers } = await deps.notifications.ResendDeadLetters({ ids: [id], actor })
  const outcome = answers[0]?.outcome
  if (outcome === 'UNKNOWN') return refused('DEAD_LETTER_UNKNOWN', `dead letter ${id}`)
  if (outcome === 'EXPIRED') {
    return refused('DEADLINE_PASSED', 'a request is not sent after its own deadline')
  }
  if (outcome === undefined) throw new Error(`a dead letter was neither sent again nor refused`)
  return answered(202, { notificationId: id, outcome })
}

function letterBody(letter: DeadLetter) {
  return {
    notificationId: letter.notificationId,
    fspId: letter.fspId,
    entityId: maskedText(letter.entityId),
    role: letter.legRole,
    cause: letter.cause,
    method: letter.method,
    url: maskedText(letter.url),
    attempts: letter.attempts,
    httpStatus: letter.httpStatus ?? null,
    lastError: maskedOrNull(letter.lastError),
    takenAt: letter.takenAt,
  } satisfies Json
}
