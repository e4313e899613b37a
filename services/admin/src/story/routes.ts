/** Payments for the operator: a search, the story of one, and how much is going on. */
import { transferStateValues } from '@causeway/protos'
import { z } from 'zod'
import { answered, refused, type OperationResult } from '../answer.ts'
import { correlationId, searchFields, word } from '../fields.ts'
import { reads, type Operation } from '../operation.ts'
import type { Deps } from '../upstream.ts'
import { storyBody, summaryBody } from './bodies.ts'
import { storyOf } from './compose.ts'
import { readFacts } from './facts.ts'
import { shownActivity, shownStory, shownTransfers } from './shapes.ts'

const activity_seconds = 10

const search = z.object({
  transferId: correlationId.optional(),
  fspId: word.optional().meta({ description: 'As payer or as payee.' }),
  state: z.enum(transferStateValues).optional(),
  ...searchFields('in which the request came'),
})

export function storyOperations(deps: Deps): readonly Operation[] {
  return [
    reads(
      '/transfers',
      {
        about: 'Transfers, the newest first; a page looks at a bounded number of them',
        query: search,
        answers: { 200: shownTransfers },
      },
      ({ query }) => findTransfers(deps, query),
    ),
    reads(
      '/transfers/activity',
      {
        about: `What came in during the last ${activity_seconds} seconds, and how long it took`,
        answers: { 200: shownActivity },
      },
      () => getActivity(deps),
    ),
    reads(
      '/transfers/:transferId/story',
      {
        about: 'What happened to a payment and why: messages, decisions, journal, deliveries',
        answers: { 200: shownStory },
        refuses: ['TRANSFER_UNKNOWN'],
      },
      ({ transferId }) => getStory(deps, transferId),
    ),
  ]
}

async function findTransfers(
  deps: Deps,
  { transferId: id, state, ...page }: z.infer<typeof search>,
): Promise<OperationResult> {
  const found = await deps.transfers.SearchTransfers({
    id,
    states: state === undefined ? [] : [state],
    ...page,
  })
  return answered(200, {
    transfers: found.transfers.map(summaryBody),
    next: found.next ?? null,
  })
}

async function getActivity(deps: Deps): Promise<OperationResult> {
  const activity = await deps.transfers.GetTransferActivity({ seconds: activity_seconds })
  const { seconds, received, committed, aborted, open, p50Ms, p95Ms, p99Ms } = activity
  const perSecond = seconds === 0 ? 0 : received / seconds
  return answered(200, {
    seconds: rounded(seconds),
    received,
    committed,
    aborted,
    open,
    perSecond: rounded(perSecond),
    latency_ms:
      p50Ms === undefined || p95Ms === undefined || p99Ms === undefined
        ? null
        : { p50: rounded(p50Ms), p95: rounded(p95Ms), p99: rounded(p99Ms) },
  })
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}

async function getStory(deps: Deps, transferId: string): Promise<OperationResult> {
  const facts = await readFacts(deps, transferId)
  if (facts === undefined) {
    return refused(
      'TRANSFER_UNKNOWN',
      `${transferId}: what the edge refuses with 4xx is stored nowhere`,
    )
  }
  return answered(200, storyBody(facts, storyOf(facts)))
}
