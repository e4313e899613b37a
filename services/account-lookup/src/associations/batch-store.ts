/**
 * POST /participants requests by their requestId, stored forever. An id is claimed before any work
 * for it, oracle calls included, and the outcomes are stored together with the changes. So a
 * request is processed once, however often and wherever it is delivered.
 */
import { byteaArray, statement, textArray, type Database, type Queries } from '@causeway/postgres'
import type { BatchEvent, AssociationOutcome, Reason } from './contract.ts'
import { requestIdStatusOf, type RequestIdStatus } from './domain/request-id.ts'
import type { Settled } from './settle.ts'

const claimStatement = statement(`
  insert into batch_requests (request_id, requester_fsp, request_hash, event_id)
  select distinct on (id) id, fsp, hash, event_id
  from unnest($1::text[], $2::text[], $3::bytea[], $4::text[]::uuid[]) with ordinality
    as q (id, fsp, hash, event_id, n)
  order by id, n
  on conflict (request_id) do nothing`)

const ownersStatement = statement(`
  select request_id, requester_fsp, request_hash, event_id
  from batch_requests where request_id = any ($1::text[])`)

const storeStatement = statement(`
  update batch_requests set refusals = q.refusals::json
  from unnest($1::text[]::uuid[], $2::text[], $3::text[]) as q (event_id, id, refusals)
  where request_id = q.id and batch_requests.event_id = q.event_id`)

const refusalsStatement = statement(`
  select request_id, refusals from batch_requests
  where request_id = any ($1::text[]) and refusals is not null`)

/** By event id. */
export async function claimRequests(
  db: Pick<Database, 'query'>,
  events: readonly BatchEvent[],
): Promise<ReadonlyMap<string, RequestIdStatus>> {
  const requests = events.map(({ id: eventId, payload }) => {
    const { requestId, requesterFspId, payloadHash } = payload
    return { eventId, requestId, requesterFspId, payloadHash }
  })
  if (requests.length === 0) return new Map()
  const ids = textArray(requests.map(({ requestId }) => requestId))
  await db.query(claimStatement, [
    ids,
    textArray(requests.map(({ requesterFspId }) => requesterFspId)),
    byteaArray(requests.map(({ payloadHash }) => Buffer.from(payloadHash, 'base64url'))),
    textArray(requests.map(({ eventId }) => eventId)),
  ])
  interface RequestRow {
    readonly request_id: string
    readonly requester_fsp: string
    readonly request_hash: Buffer
    readonly event_id: string
  }
  // A separate statement: it sees what was committed while the first one waited.
  const rows = await db.query<RequestRow>(ownersStatement, [ids])
  const owners = new Map(
    rows.map((row) => [
      row.request_id,
      {
        eventId: row.event_id,
        requesterFspId: row.requester_fsp,
        payloadHash: row.request_hash.toString('base64url'),
      },
    ]),
  )
  return new Map(
    requests.map((request) => {
      const owner = owners.get(request.requestId)
      if (owner === undefined) throw new Error(`${request.requestId} belongs to no request`)
      return [request.eventId, requestIdStatusOf(owner, request)]
    }),
  )
}

/** Stores the outcomes of the requests that own their ids. */
export async function storeOutcomes(tx: Queries, worked: readonly Settled[]): Promise<void> {
  const owners = worked.flatMap(({ event, outcomes, isRepeat }) =>
    event.name !== 'ParticipantBatchAssociationRequestReceived' || isRepeat
      ? []
      : [{ event, refusals: JSON.stringify(refusalsIn(outcomes)) }],
  )
  if (owners.length === 0) return
  await tx.query(storeStatement, [
    textArray(owners.map(({ event }) => event.id)),
    textArray(owners.map(({ event }) => event.payload.requestId)),
    textArray(owners.map(({ refusals }) => refusals)),
  ])
}

/**
 * Gives repeats the outcomes of their first request. A repeat that arrives while an oracle is still
 * being called for the first is left out: the answer to the first answers both.
 */
export async function withEarlierOutcomes(
  tx: Queries,
  worked: readonly Settled[],
): Promise<readonly Settled[]> {
  const ids = worked.flatMap(({ event, isRepeat }) =>
    isRepeat && event.name === 'ParticipantBatchAssociationRequestReceived'
      ? [event.payload.requestId]
      : [],
  )
  if (ids.length === 0) return worked
  interface RefusalsRow {
    readonly request_id: string
    readonly refusals: readonly RefusedParty[]
  }
  const rows = await tx.query<RefusalsRow>(refusalsStatement, [textArray(ids)])
  const refusals = new Map(rows.map((row) => [row.request_id, row.refusals]))
  return worked.flatMap((each) => {
    const { event, isRepeat } = each
    if (!isRepeat || event.name !== 'ParticipantBatchAssociationRequestReceived') return [each]
    const { requestId, partyList } = event.payload
    const refused = refusals.get(requestId)
    return refused === undefined
      ? []
      : [{ ...each, outcomes: outcomesOf(refused, partyList.length) }]
  })
}

/** A refused party, by its index in the list. */
interface RefusedParty {
  readonly at: number
  readonly reason: Reason
  readonly detail?: string | undefined
}

function refusalsIn(outcomes: readonly AssociationOutcome[]): readonly RefusedParty[] {
  return outcomes.flatMap((outcome, at) =>
    outcome.type === 'REFUSED' ? [{ at, reason: outcome.reason, detail: outcome.detail }] : [],
  )
}

function outcomesOf(
  refused: readonly RefusedParty[],
  parties: number,
): readonly AssociationOutcome[] {
  const outcomes: AssociationOutcome[] = Array.from({ length: parties }, () => ({ type: 'DONE' }))
  for (const { at, reason, detail } of refused) outcomes[at] = { type: 'REFUSED', reason, detail }
  return outcomes
}
