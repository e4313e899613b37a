/** Serves the requests of a service over gRPC. */
import { recordedActor } from '@causeway/process'
import { readClock } from '@causeway/postgres'
import { isCorrelationId } from '@causeway/fspiop'
import type { Calls, Handlers } from '@causeway/grpc'
import type { Database } from '@causeway/postgres'
import {
  present,
  type Approval,
  type ApprovalState as StateMessage,
  type approvalsService,
  type operatorsService,
} from '@causeway/protos'
import { isApprovalKind, refuse, type Refused } from '@causeway/services'
import { z } from 'zod'
import type { ApprovalOutcome, Approvals, Persons } from './approvals.ts'
import type { ApprovalState } from './judge.ts'
import { pendingRequests, type Place, type StoredRequest } from './store.ts'

const page_max = 1_000
const note_max = 1_024
const idPattern = /^[A-Za-z0-9_.:-]{1,64}$/

export interface ServedApprovals {
  readonly approvals: Approvals
  readonly db: Database
  /** How long a request waits. */
  readonly life_ms: number
}

export function approvalHandlers({
  approvals,
  db,
  life_ms,
}: ServedApprovals): Handlers<typeof approvalsService> {
  return {
    async RequestApproval({ requestId: id, kind, contentJson, actor }) {
      // It may become the id of an entry, so it must never equal an id that the ledger generates.
      if (!isCorrelationId(id)) return refusal(refuse('INVALID', 'requestId is a UUID or a ULID'))
      const content = parsed(contentJson)
      if (content === undefined) return refusal(refuse('INVALID', 'the content is not JSON'))
      return answer(await approvals.request({ id, kind, content, by: recordedActor(actor) }))
    },
    async DecideApproval({ requestId: id, kinds, verdict, note, actor, personsApart }) {
      if (!idPattern.test(id)) {
        return refusal(refuse('INVALID', 'requestId has 1 to 64 letters, digits and _.:-'))
      }
      if (note !== undefined && note.length > note_max) {
        return refusal(refuse('INVALID', `note has at most ${note_max} characters`))
      }
      const by = recordedActor(actor)
      return answer(await approvals.decide({ id, kinds, verdict, note, by, personsApart }))
    },
    async ListApprovals({ kinds, cursor, limit }) {
      const rows_max = limit < 1 ? page_max : Math.min(limit, page_max)
      const now = await readClock(db)
      const expiredUntil = new Date(now.getTime() - life_ms)
      const filter = { kinds, expiredUntil }
      const requests = await pendingRequests(db, filter, placeOf(cursor), rows_max)
      const last = requests.length < rows_max ? undefined : requests.at(-1)
      const approvalsShown = requests.map(approvalMessage)
      return last === undefined
        ? { approvals: approvalsShown }
        : { approvals: approvalsShown, cursor: cursorOf(last) }
    },
  }
}

/** The two persons of a request, as auth-service knows them. */
export function personsOf(
  operators: Pick<Calls<typeof operatorsService>, 'CheckApprover'>,
): Persons {
  return {
    async before({ maker, by, privilege }) {
      const question = { maker, actor: by, ...(privilege === undefined ? {} : { privilege }) }
      const { refusal: refused } = await operators.CheckApprover(question)
      if (!refused) return undefined
      const reason = refused.reason === 'PRIVILEGE_MISSING' ? refused.reason : 'SAME_PERSON'
      return refuse(reason, refused.detail)
    },
  }
}

/** The states of the table as messages name them. */
export const stateMessages: Readonly<Record<ApprovalState, StateMessage>> = {
  'PEND-APPROVAL': 'PENDING',
  APPROVED: 'APPROVED',
  REJECTED: 'REJECTED',
}

export function approvalMessage(request: StoredRequest): Approval {
  const { id: requestId, kind, state, content, replaces, createdBy, createdAt } = request
  const { decidedBy, decidedAt, note } = request
  if (!isApprovalKind(kind)) throw new Error(`no kind of request is called ${kind}`)
  return {
    requestId,
    kind,
    state: stateMessages[state],
    contentJson: content,
    createdBy,
    createdAt: createdAt.toISOString(),
    ...present({
      replacesJson: replaces,
      decidedBy,
      decidedAt: decidedAt?.toISOString(),
      note,
    }),
  }
}

function answer(outcome: ApprovalOutcome) {
  if (outcome.type === 'REFUSE') return refusal(outcome)
  const { request, isApprovedNow } = outcome
  return { approval: approvalMessage(request), isApprovedNow }
}

function refusal({ reason, detail }: Refused) {
  return { refusal: { reason, detail }, isApprovedNow: false }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

const place = z.tuple([z.iso.datetime({ offset: true }), z.string().regex(idPattern)])

function cursorOf({ createdAt, id }: StoredRequest): string {
  return Buffer.from(JSON.stringify([createdAt.toISOString(), id])).toString('base64url')
}

/** Undefined: the first page; so is what no page has answered. */
function placeOf(cursor: string | undefined): Place | undefined {
  if (cursor === undefined) return undefined
  const read = place.safeParse(parsed(Buffer.from(cursor, 'base64url').toString()))
  if (!read.success) return undefined
  const [createdAt, id] = read.data
  return { createdAt, id }
}
