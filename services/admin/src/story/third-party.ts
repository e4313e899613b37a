/** Payments that PISPs began, for the operator: a search, and the story of one by its request's id. */
import { present, thirdPartySummaryStateValues } from '@causeway/protos'
import { z } from 'zod'
import { answered, refused, type OperationResult } from '../answer.ts'
import { searchFields, word } from '../fields.ts'
import { reads, type Operation } from '../operation.ts'
import type { Deps } from '../upstream.ts'
import { requestStoryOf, storyOf, summaryOf } from './compose.ts'
import { readRequestFacts } from './facts.ts'
import { stepBody, summaryBody, thirdPartyBody } from './bodies.ts'
import { shownRequestStory, shownThirdParties } from './shapes.ts'

const search = z.object({
  transactionRequestId: word.optional(),
  fspId: word.optional().meta({ description: 'As PISP or as DFSP.' }),
  pispId: word.optional(),
  dfspId: word.optional(),
  consentId: word.optional(),
  state: word.optional().meta({ description: 'As it is shown, such as ACCEPTED or FAILED.' }),
  ...searchFields('of the request'),
})

export function thirdPartyOperations(deps: Deps): readonly Operation[] {
  return [
    reads(
      '/third-party-transactions',
      {
        about: 'Payments that PISPs began, the newest first',
        query: search,
        answers: { 200: shownThirdParties },
      },
      ({ query }) => find(deps, query),
    ),
    reads(
      '/third-party-transactions/:transactionRequestId/story',
      {
        about: 'What happened to a request of a PISP and why, with the payment that came of it',
        answers: { 200: shownRequestStory },
        refuses: ['TRANSACTION_REQUEST_UNKNOWN'],
      },
      ({ transactionRequestId }) => getStory(deps, transactionRequestId),
    ),
  ]
}

async function find(deps: Deps, query: z.infer<typeof search>): Promise<OperationResult> {
  const { limit, from, to, after, state: word, ...filters } = query
  const state = thirdPartySummaryStateValues.find((one) => one === word)
  if (word !== state) return answered(200, { transactions: [], next: null })
  const page = { from: from || undefined, to: to || undefined, after: after || undefined }
  const wanted = { limit, ...present({ ...filters, ...page, state }) }
  const { transactions, next } = await deps.thirdParties.SearchThirdPartyTransactions(wanted)
  return answered(200, {
    transactions: transactions.map(thirdPartyBody),
    next: next ?? null,
  })
}

async function getStory(deps: Deps, transactionRequestId: string): Promise<OperationResult> {
  const facts = await readRequestFacts(deps, transactionRequestId)
  const summary = facts?.thirdParty?.summary
  if (facts === undefined || !summary) {
    const detail = `${transactionRequestId}: no PISP has sent it`
    return refused('TRANSACTION_REQUEST_UNKNOWN', detail)
  }
  const { findings, steps } = 'transfer' in facts ? storyOf(facts) : requestStoryOf(facts)
  return answered(200, {
    thirdParty: thirdPartyBody(summary),
    transfer: 'transfer' in facts ? summaryBody(summaryOf(facts.transfer)) : null,
    findings,
    steps: steps.map(stepBody),
  })
}
