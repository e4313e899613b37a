/** The methods of the lifecycle service. */
import { isCorrelationId } from '@causeway/fspiop'
import type { Handlers } from '@causeway/grpc'
import {
  refusalMessage,
  boundedPage,
  isId,
  isTime,
  readCursor,
  writeCursor,
} from '@causeway/ledger'
import { isRefused, refuse, type Refused } from '@causeway/ledger/domain'
import type { lifecycleService } from '@causeway/protos'
import { recordMessage, wantedOf } from './contract.ts'
import { checkerCalls, schemeFault, type WantedType } from './domain/wanted.ts'
import { deniedEndpoint } from '../participants/reach.ts'
import { decideChange, requestChange, type ChangeOutcome, type ChangesParts } from './handle.ts'
import { requestsOf, type RequestCursor } from './store.ts'

const idPattern = /^[A-Za-z0-9_.:-]{1,64}$/
const note_max = 1_024

export function serveLifecycle(parts: ChangesParts): Handlers<typeof lifecycleService> {
  return {
    RequestChange: async ({ requestId: id, actor, change }) => {
      if (!isCorrelationId(id)) return answer(badNewId)
      const wanted = wantedOf(change)
      if (isRefused(wanted)) return answer(wanted)
      const fault = schemeFault(parts.decimalsOf, wanted)
      if (fault !== undefined) return answer(fault)
      const denied =
        'endpoints' in wanted ? await deniedEndpoint(parts.egress, wanted.endpoints) : undefined
      if (denied !== undefined) return answer(denied)
      return answer(await requestChange(parts, { id, wanted, by: nameOf(actor) }))
    },
    DecideChange: async ({ requestId: id, type, decision, note, actor }) => {
      if (!idPattern.test(id)) return answer(badId)
      if (decision !== 'APPROVE' && decision !== 'REJECT') {
        return answer(refuse('INVALID', 'decision is APPROVE or REJECT'))
      }
      if (note.length > note_max) {
        return answer(refuse('INVALID', `note has at most ${note_max} characters`))
      }
      if (type !== '' && !isWantedType(type)) {
        return answer(refuse('INVALID', `${type} is not a request type`))
      }
      const by = nameOf(actor)
      const about = type === '' ? null : type
      return answer(await decideChange(parts, { id, decision, note, by, type: about }))
    },
    ListChanges: async ({ type, state, cursor, limit }) => {
      const page_max = boundedPage(limit)
      const after = readCursor<RequestCursor>(cursor, { createdAt: isTime, id: isId })
      const requests = await requestsOf(parts.database, { type, state }, after, page_max)
      const last = requests.length < page_max ? undefined : requests.at(-1)
      const place = last && { createdAt: last.createdAt.toISOString(), id: last.id }
      return {
        changes: requests.map(recordMessage),
        cursor: place === undefined ? '' : writeCursor(place),
      }
    },
  }
}

/** It may become the id of an entry, so it must never equal an id that the ledger generates. */
const badNewId = refuse('INVALID', 'requestId is a UUID or a ULID')
const badId = refuse('INVALID', 'requestId has 1 to 64 letters, digits and _.:-')

/** Unknown actors count as one person: one cannot approve what another has requested. */
function nameOf(actor: string): string {
  return actor === '' ? 'unknown' : actor
}

function isWantedType(type: string): type is WantedType {
  return Object.hasOwn(checkerCalls, type)
}

function answer(outcome: Refused | ChangeOutcome) {
  return outcome.type === 'REFUSE'
    ? { refusal: refusalMessage(outcome) }
    : { record: recordMessage(outcome.request) }
}
