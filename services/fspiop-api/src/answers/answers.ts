/**
 * Who may answer: for a party its owner, and otherwise an FSP that the receiver of the answer has sent a
 * request about the same subject. An answer of any other FSP is refused. Where that is not known, because
 * this process has not run for long or Redis does not answer, an answer is relayed, except about a party that
 * belongs to other FSPs.
 */
import type { Payload } from '@causeway/events'
import type { Operation, PathParameters } from '@causeway/fspiop'
import type { Logger, Service } from '@causeway/process'
import type { ProcessParts } from '@causeway/runtime'
import { age_max_ms } from '../bounds.ts'
import type { ReadResult } from '../chain.ts'
import { partyOf, type PartyName } from './party-path.ts'
import type { Reason } from '../refusals.ts'
import type { FspiopApiSettings } from '../settings.ts'
import { openExchanges, type Exchange, type Exchanges } from './exchanges.ts'
import { openOwners, type Owners } from './owners.ts'
import { openRecordedRequests, type RecordedRequests } from './recorded.ts'

export interface Answers {
  /**
   * An FSP sends another one a request, which the other may answer. An answer is none, as a rule: else a
   * question to an FSP would give the right to answer it.
   */
  note(request: FspMessage): void
  /** Why the sender may not answer; undefined: it may. */
  faultOf(answer: FspMessage): Promise<Reason | undefined>
}

/** A message from one FSP to another. */
export interface FspMessage extends Omit<Exchange, 'subject'> {
  readonly operation: Operation
  readonly parameters: PathParameters
  /** The id of its subject, also where it is in the body. */
  readonly entityId: string
}

/** What is sent to an FSP, as far as the edge knows it; undefined: nothing, or a service finds the FSP. */
export function messageIn(
  reading: ReadResult,
  { operation, parameters }: Pick<FspMessage, 'operation' | 'parameters'>,
  from: string,
): FspMessage | undefined {
  if (reading.type === 'RELAY') {
    const { fspId: to, entityId, content } = reading.triggered.callback
    return content.type === 'RELAYED' ? { from, to, operation, parameters, entityId } : undefined
  }
  if (reading.type !== 'PUBLISH' || !operation.startsWith('GET /parties')) return undefined
  const { partyKey: entityId, destinationFspId: to } = reading.event
    .payload as Payload<'PartyQueryReceived'>
  return to === undefined ? undefined : { from, to, operation, parameters, entityId }
}

export interface AnswersParts {
  readonly exchanges: Pick<Exchanges, 'note' | 'isNoted' | 'find'>
  readonly owners: Pick<Owners, 'ownerAnswer'>
  readonly recorded: RecordedRequests
  /** False: ids of transaction requests may be used again, so nothing is recorded behind them. */
  readonly recordsTransactionRequests: boolean
}

/** How long an FSP may take to answer what has reached it. */
const answer_ms = 300_000
const check_ms = 1_000

export function startAnswers(
  settings: FspiopApiSettings,
  { grpc, shared, log }: Pick<ProcessParts, 'grpc' | 'shared'> & { readonly log: Logger },
): Answers & Service {
  const remembered_ms = answer_ms + settings.FSPIOP_API_RELAY_RETRY_MS
  const exchanges = openExchanges({ shared, remembered_ms, now_ms: Date.now, check_ms, log })
  const owners = openOwners({ grpc, log, age_max_ms })
  return {
    ...openAnswers({
      exchanges,
      owners,
      recorded: openRecordedRequests(grpc),
      recordsTransactionRequests: settings.COMPATIBILITY !== 'mojaloop',
    }),
    async stop() {
      await exchanges.stop()
      await owners.stop()
    },
  }
}

export function openAnswers(parts: AnswersParts): Answers {
  return {
    note(request) {
      parts.exchanges.note(exchangeOf(request, collectionOf(request.operation)))
    },
    async faultOf(answer) {
      const collection = collectionOf(answer.operation)
      if (collection === 'participants') return faultOfOwner(parts, answer)
      const { from, to, subject } = exchangeOf(answer, collection)
      const asked = { from: to, to: from, subject }
      if (parts.exchanges.isNoted(asked)) return undefined
      switch (collection) {
        case 'parties':
          return faultOfAnswerer(parts, partyOf(answer.parameters), asked)
        case 'consents':
          return faultOfAnswerer(parts, consentOf(answer), asked)
        case 'authorizations':
        case 'transactionRequests':
          if (!parts.recordsTransactionRequests) return undefined
          return faultOfRecorded(parts, `transactionRequests/${answer.entityId}`, asked)
        case 'consentRequests':
        case 'thirdpartyRequests/authorizations':
        case 'thirdpartyRequests/transactions':
          return faultOfRecorded(parts, `${collection}/${answer.entityId}`, asked)
        default:
          return (await parts.exchanges.find(asked)) === 'NOT_NOTED' ? 'NOT_ASKED' : undefined
      }
    },
  }
}

/** No FSP is sent a request for /participants: only the owner of a party may say whose it is. */
async function faultOfOwner(
  { owners }: AnswersParts,
  { parameters, from }: FspMessage,
): Promise<Reason | undefined> {
  if (parameters.Type === undefined) return 'NOT_ASKED'
  switch (await owners.ownerAnswer(partyOf(parameters), from)) {
    case 'OWNER':
      return undefined
    case 'UNAVAILABLE':
      return 'OWNERS_UNAVAILABLE'
    case 'OTHERS':
    case 'NONE':
      return 'REQUESTER_NOT_OWNER'
  }
}

/** The owner may answer, and an FSP that was sent a request about the party by name. */
async function faultOfAnswerer(
  { exchanges, owners }: AnswersParts,
  party: PartyName,
  asked: Exchange,
): Promise<Reason | undefined> {
  const owner = await owners.ownerAnswer(party, asked.to)
  if (owner === 'OWNER') return undefined
  const found = await exchanges.find(asked)
  if (found === 'NOTED') return undefined
  const isConsent = party.partyIdType === 'CONSENT'
  switch (owner) {
    case 'UNAVAILABLE':
      return 'OWNERS_UNAVAILABLE'
    case 'OTHERS':
      if (!isConsent) return 'REQUESTER_NOT_OWNER'
      // A consent is between a DFSP and a PISP, and another FSP may verify its signatures.
      return found === 'UNKNOWN' ? undefined : 'NOT_ASKED'
    case 'NONE':
      // The customer of a PISP may take long to sign a consent that no auth service has registered.
      return found === 'UNKNOWN' || isConsent ? undefined : 'NOT_ASKED'
  }
}

/** The two FSPs of the request may answer, and an FSP that was sent another request about it. */
async function faultOfRecorded(
  { exchanges, recorded }: AnswersParts,
  key: string,
  asked: Exchange,
): Promise<Reason | undefined> {
  const between = await recorded.areBetween(key, [asked.from, asked.to])
  if (between === 'YES') return undefined
  const found = await exchanges.find(asked)
  if (found === 'NOTED') return undefined
  switch (between) {
    case 'UNAVAILABLE':
      return 'REQUESTS_UNAVAILABLE'
    case 'OTHERS':
      return 'NOT_ASKED'
    case 'NONE':
      return found === 'UNKNOWN' ? undefined : 'NOT_ASKED'
  }
}

function exchangeOf({ from, to, entityId }: FspMessage, collection: string): Exchange {
  // An MSISDN has two spellings.
  return { from, to, subject: `${collection}/${entityId.replace(/^MSISDN\/%2B/, 'MSISDN/')}` }
}

/** `thirdpartyRequests/transactions` of `PUT /thirdpartyRequests/transactions/{ID}/error`. */
function collectionOf(operation: Operation): string {
  const path = operation.slice(operation.indexOf('/') + 1)
  const end = path.indexOf('/{')
  return end < 0 ? path : path.slice(0, end)
}

function consentOf({ entityId }: FspMessage): PartyName {
  return { partyIdType: 'CONSENT', partyIdentifier: entityId }
}
