/** Open sessions: one's own, and those of a colleague; their end. */
import { openSessionFactorValues, type OpenSession } from '@causeway/protos'
import { decodeJwt } from 'jose'
import { z } from 'zod'
import { answered, type OperationResult } from '../answer.ts'
import { commands, reads, type Operation } from '../operation.ts'
import { shownTime } from '../shapes.ts'
import { refusedUpstream, type Deps } from '../upstream.ts'

const shownSession = z
  .strictObject({
    id: z.string(),
    factor: z.enum(openSessionFactorValues).nullable(),
    /** The network of the client; null where it is not known. */
    address: z.string().nullable(),
    createdDate: shownTime,
    /** The last log-in or refresh. */
    lastUsedDate: shownTime,
    expiresDate: shownTime,
    /** Whether the caller's token belongs to it. */
    isCurrent: z.boolean(),
  })
  .meta({ id: 'OpenSession' })

/** For any operator. */
export function ownSessionOperations(deps: Deps): readonly Operation[] {
  return [
    reads(
      '/app-sessions',
      {
        about: "The caller's open sessions; the newest first, at most 1,000",
        answers: { 200: z.array(shownSession) },
      },
      ({ actor, token }) => list(deps, actor, token),
    ),
    commands(
      'DELETE',
      '/app-sessions/:sessionId',
      {
        about: "Ends one of the caller's sessions with all of its tokens",
        answers: { 204: null },
        refuses: ['SESSION_UNKNOWN'],
      },
      ({ sessionId, actor }) => end(deps, { operator: actor, sessionId, actor }),
    ),
  ]
}

/** Those of a colleague. */
export function sessionOperations(deps: Deps): readonly Operation[] {
  const path = '/operators/:operator/sessions'
  return [
    reads(
      path,
      {
        about: 'The open sessions of an operator; the newest first, at most 1,000',
        answers: { 200: z.array(shownSession) },
      },
      ({ operator, token }) => list(deps, operator, token),
    ),
    commands(
      'DELETE',
      path,
      {
        about: 'Ends every session of an operator with all of their tokens',
        answers: { 204: null },
      },
      ({ operator, actor }) => end(deps, { operator, actor }),
    ),
  ]
}

async function list(
  { operators }: Deps,
  operator: string,
  token: string,
): Promise<OperationResult> {
  const { sessions } = await operators.ListSessions({ operator })
  const current = token === '' ? undefined : decodeJwt(token)['sid']
  return answered(
    200,
    sessions.map((session) => sessionBody(session, session.id === current)),
  )
}

function sessionBody(
  { id, factor, address, createdAt, usedAt, expiresAt }: OpenSession,
  isCurrent: boolean,
) {
  return {
    id,
    factor: factor ?? null,
    address: address ?? null,
    createdDate: createdAt,
    lastUsedDate: usedAt,
    expiresDate: expiresAt,
    isCurrent,
  }
}

async function end(
  { operators }: Deps,
  asked: Parameters<Deps['operators']['EndSessions']>[0],
): Promise<OperationResult> {
  const { refusal } = await operators.EndSessions(asked)
  return refusal ? refusedUpstream(refusal) : answered(204)
}
