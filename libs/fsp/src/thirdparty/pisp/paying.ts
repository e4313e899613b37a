/**
 * The PISP's side of a payment: the payee is found, the DFSP is asked to pay, the user signs the terms,
 * and the DFSP tells how it ended. Silence until the expiration is failure. Third-Party API 1.0,
 * transfer.
 */
import {
  errorBody,
  type ErrorInformation,
  errorInformation,
  patchThirdpartyTransactions,
  type PostThirdpartyAuthorizations,
  postThirdpartyAuthorizations,
  putThirdpartyTransactions,
  type TransactionType,
} from '@causeway/fspiop'
import { randomUUID } from 'node:crypto'
import { type Amount, moneyOf } from '../../amount.ts'
import { openQuestions, type Questions, tenths } from '../../asking.ts'
import { type Failed, informationIn } from '../../errors.ts'
import type { HubLink } from '../../hub/link.ts'
import { bodyOf, type Hearers, type Hearing, idOf, type Received } from '../../inbound.ts'
import { type Outgoing, writeMessage } from '../../message.ts'
import type { Lookups } from '../../parties/lookups.ts'
import { type PartyId, writeParty } from '../../parties/party.ts'
import type { ServedParty } from '../../payments/payment.ts'
import { type Asked, openRepeats, type Repeats } from '../../repeats.ts'
import type { Secrecy } from '../../secrecy.ts'
import type { SignedPayload } from '../consent.ts'

export interface ThirdPartyOrder {
  /** A new UUID when left out. */
  readonly transactionRequestId?: string
  readonly dfspId: string
  /** The address of the user's account there. */
  readonly account: string
  /** Looked up first, unless it is known which FSP serves it. */
  readonly to: (PartyId & { readonly fspId?: undefined }) | ServedParty
  /** SEND (when left out): the user gives exactly this; RECEIVE: the payee gets exactly this. */
  readonly amountType?: 'SEND' | 'RECEIVE'
  readonly amount: Amount
  /** TRANSFER by a CONSUMER when left out. */
  readonly transactionType?: TransactionType
  readonly note?: string
  readonly expiration: Date
  /** The user's signature over the challenge; undefined: the user does not want it on these terms. */
  readonly sign: (asked: TermsToSign) => Promise<SignedPayload | undefined>
}

/** What the user is shown; amounts where the DFSP tells them. */
export interface TermsToSign {
  /** The text that is signed: a FIDO key signs the bytes that it is base64url of. */
  readonly challenge: string
  readonly transferAmount: Amount | undefined
  readonly payeeReceiveAmount: Amount | undefined
  readonly fees: Amount | undefined
  readonly payee: ServedParty
}

export type ThirdPartyLeg = 'lookup' | 'request' | 'authorization'

export type ThirdPartyResult = {
  readonly transactionRequestId: string
  /** Of the DFSP; undefined: it was not received there. */
  readonly transactionId: string | undefined
  readonly payee: ServedParty | undefined
  /** Milliseconds, the user's own part included. */
  readonly ms: { readonly lookup?: number; readonly terms?: number; readonly total: number }
} & ThirdPartyEnd

export type ThirdPartyEnd =
  | { readonly state: 'COMPLETED'; readonly completedTimestamp: string | undefined }
  /** The user did not want it. */
  | { readonly state: 'REJECTED' }
  | {
      /** The DFSP or the hub said so, or nobody said anything until the expiration (3301). */
      readonly state: 'FAILED'
      readonly leg: ThirdPartyLeg
      readonly error: ErrorInformation
    }

export interface PayingOptions {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  readonly secrecy: Secrecy
  readonly lookups: Pick<Lookups, 'lookUp'>
  readonly silence_ms: number
  readonly remembered_max: number
}

export interface Paying {
  pay(order: ThirdPartyOrder): Promise<ThirdPartyResult>
  readonly hearers: Hearers
  close(): void
}

interface Course {
  readonly order: ThirdPartyOrder
  readonly id: string
  readonly begun_ms: number
  readonly ms: { lookup?: number; terms?: number }
  payee: ServedParty | undefined
  transactionId: string | undefined
}

type Word =
  | { readonly state: 'COMPLETED'; readonly completedTimestamp: string | undefined }
  | { readonly state: 'REJECTED' }
  | Failed

interface Parts extends PayingOptions {
  readonly questions: Questions<Course, Word>
  readonly authorizations: Repeats<Asked>
}

const path = '/thirdpartyRequests/transactions'
const defaultType = {
  scenario: 'TRANSFER',
  initiator: 'PAYER',
  initiatorType: 'CONSUMER',
} as const

export function openPaying(options: PayingOptions): Paying {
  const { link, silence_ms, remembered_max } = options
  const questions = openQuestions<Course, Word>(link, silence_ms)
  const parts: Parts = {
    ...options,
    questions,
    authorizations: openRepeats(link, remembered_max),
  }
  return {
    pay: (order) => pay(parts, order),
    hearers: {
      'PUT /thirdpartyRequests/transactions/{ID}': (message) => takeState(parts, message),
      'PATCH /thirdpartyRequests/transactions/{ID}': (message) => takeEnd(parts, message),
      'PUT /thirdpartyRequests/transactions/{ID}/error': (message) => takeError(parts, message),
      'POST /thirdpartyRequests/authorizations': (message) => takeTerms(parts, message),
    },
    close: () => questions.close(),
  }
}

async function pay(parts: Parts, order: ThirdPartyOrder): Promise<ThirdPartyResult> {
  const course: Course = {
    order,
    id: order.transactionRequestId ?? randomUUID(),
    begun_ms: performance.now(),
    ms: {},
    payee: undefined,
    transactionId: undefined,
  }
  const end = await follow(parts, course)
  const { id: transactionRequestId, transactionId, payee } = course
  const ms = { ...course.ms, total: tenths(performance.now() - course.begun_ms) }
  return { transactionRequestId, transactionId, payee, ms, ...end }
}

async function follow(parts: Parts, course: Course): Promise<ThirdPartyEnd> {
  const { questions, lookups } = parts
  const { order, id } = course
  const { to, amount, expiration } = order
  if (to.fspId === undefined) {
    const found = await lookups.lookUp(to, amount.currency)
    course.ms.lookup = found.ms
    if (found.state !== 'FOUND')
      return { state: 'FAILED', leg: 'lookup', error: errorOr2004(found) }
    course.payee = found.party
  } else {
    course.payee = to
  }
  const deadline_ms = expiration.getTime()
  const { payee } = course
  // The same request again is answered with what the DFSP said last.
  const request = () => requestMessage(parts, course, payee)
  const ended = await questions.ask({
    key: id,
    request: request(),
    until_ms: deadline_ms,
    reminder: request,
    deadline_ms,
    context: course,
  })
  switch (ended.state) {
    case 'COMPLETED':
      return { state: ended.state, completedTimestamp: ended.completedTimestamp }
    case 'REJECTED':
      return { state: ended.state }
    case 'FAILED':
    case 'REFUSED':
    case 'UNRESOLVED': {
      const leg = course.ms.terms === undefined ? 'request' : 'authorization'
      const silence = errorInformation('3301', 'the DFSP did not tell how it ended')
      return { state: 'FAILED', leg, error: ended.state === 'UNRESOLVED' ? silence : ended.error }
    }
  }
}

function errorOr2004({ error }: { readonly error?: ErrorInformation | undefined }) {
  return error ?? errorInformation('2004', 'nobody answered the lookup in time')
}

function requestMessage(
  { name, secrecy }: Parts,
  { order, id }: Course,
  payee: ServedParty,
): Outgoing {
  const { dfspId, account, amountType = 'SEND', transactionType = defaultType, note } = order
  const { body, encryption } = secrecy.hide(dfspId, {
    transactionRequestId: id,
    payee: writeParty(payee, payee.fspId),
    payer: { partyIdType: 'THIRD_PARTY_LINK', partyIdentifier: account, fspId: dfspId },
    amountType,
    amount: moneyOf(order.amount),
    transactionType,
    ...(note === undefined ? {} : { note }),
    expiration: order.expiration.toISOString(),
  })
  return writeMessage('POST', path, { from: name, to: dfspId }, body, encryption)
}

/** The open payment that a message is about, or why it is none of the sender's business. */
function courseOf({ questions, hubName }: Parts, { source }: Received, id: string) {
  const course = questions.open(id)
  if (course === undefined) return 'NOT_MINE'
  if (source === course.order.dfspId || source === hubName) return course
  return { disbelieved: `${source} has no part in the payment` }
}

/** Of the states only those with an end decide it: an answer to GET may have one. */
function takeState(parts: Parts, message: Received): Hearing {
  const id = idOf(message)
  const course = courseOf(parts, message, id)
  if (course === 'NOT_MINE' || 'disbelieved' in course) return course
  const reading = bodyOf(putThirdpartyTransactions, message)
  if (!reading.ok) return { disbelieved: reading.detail }
  const { transactionId, transactionRequestState } = reading.value
  course.transactionId = transactionId ?? course.transactionId
  const { transactionState, completedTimestamp } = reading.json as Readonly<Record<string, unknown>>
  if (transactionRequestState === 'REJECTED') parts.questions.answer(id, { state: 'REJECTED' })
  if (transactionRequestState === 'ACCEPTED' && transactionState === 'COMPLETED') {
    const timestamp = typeof completedTimestamp === 'string' ? completedTimestamp : undefined
    parts.questions.answer(id, { state: 'COMPLETED', completedTimestamp: timestamp })
  }
  return 'HEARD'
}

function takeEnd(parts: Parts, message: Received): Hearing {
  const id = idOf(message)
  const course = courseOf(parts, message, id)
  if (course === 'NOT_MINE' || 'disbelieved' in course) return course
  const reading = bodyOf(patchThirdpartyTransactions, message)
  if (!reading.ok) return { disbelieved: reading.detail }
  const { transactionRequestState, transactionState, completedTimestamp } = reading.value
  if (transactionRequestState === 'REJECTED' || transactionState === 'REJECTED') {
    parts.questions.answer(id, { state: 'REJECTED' })
  } else if (transactionRequestState === 'ACCEPTED' && transactionState === 'COMPLETED') {
    parts.questions.answer(id, { state: 'COMPLETED', completedTimestamp })
  }
  return 'HEARD'
}

function takeError(parts: Parts, message: Received): Hearing {
  const id = idOf(message)
  const course = courseOf(parts, message, id)
  if (course === 'NOT_MINE' || 'disbelieved' in course) return course
  const reading = bodyOf(errorBody, message)
  if (!reading.ok) return { disbelieved: reading.detail }
  parts.questions.answer(id, { state: 'FAILED', error: informationIn(reading.value) })
  return 'HEARD'
}

/** The user is asked once, however often the question comes. */
function takeTerms(parts: Parts, message: Received): Hearing {
  const reading = bodyOf(postThirdpartyAuthorizations, message)
  if (!reading.ok) return { disbelieved: reading.detail }
  const { source } = message
  const { authorizationRequestId: id, transactionRequestId } = reading.value
  const known = parts.authorizations.get(id)
  if (known !== undefined) {
    parts.authorizations.repeat(known)
    return 'HEARD'
  }
  const course = parts.questions.open(transactionRequestId)
  const { payee } = course ?? {}
  if (course === undefined || payee === undefined || course.order.dfspId !== source) {
    void parts.link.sendUntil(refusal(parts, source, id, '3206'), Date.now() + parts.silence_ms)
    return 'HEARD'
  }
  course.ms.terms ??= tenths(performance.now() - course.begun_ms)
  const asked: Asked = {
    terms: '',
    until_ms: course.order.expiration.getTime(),
    answer: undefined,
  }
  parts.authorizations.add(id, asked)
  void answerTerms(parts, course.order, payee, reading.value).then((answer) =>
    parts.authorizations.say(asked, answer),
  )
  return 'HEARD'
}

async function answerTerms(
  parts: Parts,
  order: ThirdPartyOrder,
  payee: ServedParty,
  body: PostThirdpartyAuthorizations,
): Promise<Outgoing> {
  const { authorizationRequestId: id, challenge, transferAmount, payeeReceiveAmount, fees } = body
  let signedPayload: SignedPayload | undefined
  try {
    signedPayload = await order.sign({
      challenge,
      transferAmount: transferAmount && moneyOf(transferAmount),
      payeeReceiveAmount: payeeReceiveAmount && moneyOf(payeeReceiveAmount),
      fees: fees && moneyOf(fees),
      payee,
    })
  } catch {
    return refusal(parts, order.dfspId, id, '6001')
  }
  const answer =
    signedPayload === undefined
      ? { responseType: 'REJECTED' }
      : { responseType: 'ACCEPTED', signedPayload }
  const route = { from: parts.name, to: order.dfspId }
  return writeMessage('PUT', `/thirdpartyRequests/authorizations/${id}`, route, answer)
}

function refusal({ name }: Parts, dfspId: string, id: string, code: '3206' | '6001'): Outgoing {
  return writeMessage(
    'PUT',
    `/thirdpartyRequests/authorizations/${id}/error`,
    { from: name, to: dfspId },
    { errorInformation: errorInformation(code) },
  )
}
