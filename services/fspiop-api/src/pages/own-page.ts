/**
 * Pages on which an FSP reads its own records. Its identity comes from its channel only, and each FSP
 * has one request of a page at a time.
 */
import type { Refusal } from '@causeway/fspiop'
import { retryAfter } from '@causeway/http'
import type { Participants } from '@causeway/participants'
import type { Request, Response } from 'express'
import type { Challenge, Identify } from '../identity/identity.ts'
import { refuse } from '../refusals.ts'
import { refusalBody } from '../serve.ts'

export interface OwnPageParts {
  readonly identify: Identify
  readonly challenge: Challenge
  readonly participants: Participants
}

export type PageHandler = (request: Request, response: Response) => Promise<void>

/** @param answer for the FSP that asks; when it throws, the records cannot be read now */
export function openOwnPage(
  { identify, challenge, participants }: OwnPageParts,
  answer: (fspId: string, request: Request, response: Response) => Promise<void>,
): PageHandler {
  const asking = new Set<string>()
  return async (request, response) => {
    const identity = await identify(request)
    if (identity.type !== 'KNOWN') {
      const refusal = refuse(identity.reason)
      if (refusal.status === 401) response.setHeader('www-authenticate', challenge(request))
      return refuseWith(response, refusal)
    }
    const { fspId } = identity
    if (asking.has(fspId)) return refuseWith(response, refuse('TOO_MANY'))
    asking.add(fspId)
    try {
      const refusal = await judgeFsp(participants, fspId)
      if (refusal !== undefined) return refuseWith(response, refusal)
      await answer(fspId, request, response)
    } catch {
      refuseWith(response, refuse('REPORTS_UNAVAILABLE'))
    } finally {
      asking.delete(fspId)
    }
  }
}

/** Inactive FSPs are answered as well, because they must reconcile too. */
async function judgeFsp(participants: Participants, fspId: string): Promise<Refusal | undefined> {
  const known = (await participants.get([fspId], ({ isClosed }) => !isClosed)).get(fspId)
  if (known === undefined) return refuse('SOURCE_UNKNOWN')
  return known.isClosed ? refuse('SOURCE_CLOSED') : undefined
}

export function refuseWith(response: Response, refusal: Refusal): void {
  const { status } = refusal
  response.set(retryAfter(status)).status(status)
  response.type('application/json').send(refusalBody(refusal))
}

/** A parameter of the query; undefined when it is given twice. */
export function queryText(
  query: Request['query'],
  name: string,
  otherwise: string,
): string | undefined {
  const text = query[name] ?? otherwise
  return typeof text === 'string' ? text : undefined
}
