/**
 * The payer's proof at the payee's device: the payer FSP makes a one-time password, the payee FSP says
 * what was entered, and after so many wrong ones nothing is paid. FSPIOP 6.6.
 */
import { errorBody, putAuthorizations, type PutAuthorizations } from '@causeway/fspiop'
import { formatAmount, parseAmount } from '@causeway/money'
import { timingSafeEqual } from 'node:crypto'
import { type Amount, moneyOf } from '../amount.ts'
import { openQuestions } from '../asking.ts'
import { type Failed, informationIn } from '../errors.ts'
import type { HubLink } from '../hub/link.ts'
import { bodyOf, type Hearers, type Hearing, idOf, type Received } from '../inbound.ts'
import { writeMessage } from '../message.ts'
import type { Otp } from './request.ts'

export interface AuthorizerOptions {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  readonly silence_ms: number
}

export interface Challenge {
  readonly transactionRequestId: string
  readonly payeeFsp: string
  /** What is transferred. */
  readonly amount: Amount
  /** The payer FSP's own, on top of it. */
  readonly fees: Amount | undefined
  readonly otp: Otp
  /** Of Date.now. */
  readonly until_ms: number
}

export interface Authorizer {
  /** False: the payer does not want to, has no attempts left, or nothing was heard in time. */
  isProven(challenge: Challenge): Promise<boolean>
  readonly hearers: Pick<Hearers, 'PUT /authorizations/{ID}' | 'PUT /authorizations/{ID}/error'>
  close(): void
}

type Answered = { readonly state: 'ANSWERED'; readonly body: PutAuthorizations } | Failed

/** A challenge while one of its attempts is asked about. */
interface Attempt {
  readonly challenge: Challenge
  /** How often it was asked again: each time may bring its answer once more. */
  reminders: number
  /** By the bytes of an answer that was heard, how many copies of it may still come. */
  readonly copies: Map<string, number>
}

export function openAuthorizer({ name, hubName, link, silence_ms }: AuthorizerOptions): Authorizer {
  const questions = openQuestions<Attempt, Answered>(link, silence_ms)

  function ask(challenge: Challenge, retriesLeft: number, copies: Attempt['copies']) {
    const { transactionRequestId: id, payeeFsp, until_ms } = challenge
    const attempt: Attempt = { challenge, reminders: 0, copies }
    const query = new URLSearchParams({
      authenticationType: 'OTP',
      retriesLeft: String(retriesLeft),
      ...totalOf(challenge),
    })
    const route = { from: name, to: payeeFsp }
    const request = () => writeMessage('GET', `/authorizations/${id}?${query.toString()}`, route)
    return questions.ask({
      key: id,
      request: request(),
      until_ms,
      reminder: () => {
        attempt.reminders += 1
        return request()
      },
      deadline_ms: until_ms,
      context: attempt,
    })
  }

  const hasPart = ({ source }: Received, { challenge }: Attempt) =>
    source === hubName || source === challenge.payeeFsp

  return {
    async isProven(challenge) {
      const { otp } = challenge
      let secret = await otp.make()
      const copies: Attempt['copies'] = new Map()
      for (let retriesLeft = otp.attempts_max; retriesLeft > 0; retriesLeft -= 1) {
        const ended = await ask(challenge, retriesLeft, copies)
        if (ended.state !== 'ANSWERED' || ended.body.responseType === 'REJECTED') return false
        if (ended.body.responseType === 'RESEND') secret = await otp.make()
        else if (isEntered(ended.body, secret)) return true
      }
      return false
    },
    hearers: {
      'PUT /authorizations/{ID}'(message) {
        const id = idOf(message)
        const attempt = questions.open(id)
        if (attempt === undefined) return 'NOT_MINE'
        if (!hasPart(message, attempt)) return stranger(message)
        const reading = bodyOf(putAuthorizations, message)
        if (!reading.ok) return { disbelieved: reading.detail }
        if (isCopy(attempt, message.body)) return 'HEARD'
        questions.answer(id, { state: 'ANSWERED', body: reading.value })
        return 'HEARD'
      },
      'PUT /authorizations/{ID}/error'(message) {
        const id = idOf(message)
        const attempt = questions.open(id)
        if (attempt === undefined) return 'NOT_MINE'
        if (!hasPart(message, attempt)) return stranger(message)
        const reading = bodyOf(errorBody, message)
        if (!reading.ok) return { disbelieved: reading.detail }
        questions.answer(id, { state: 'FAILED', error: informationIn(reading.value) })
        return 'HEARD'
      },
    },
    close: () => questions.close(),
  }
}

function stranger({ source }: Received): Hearing {
  return { disbelieved: `${source} has no part in the request` }
}

/**
 * An answer does not say which attempt it is about. As many copies of one as an earlier attempt may still
 * bring are none of this attempt's; if the same was entered again, the next reminder brings it again.
 */
function isCopy({ copies, reminders }: Attempt, body: Buffer): boolean {
  const answer = body.toString()
  const left = copies.get(answer) ?? 0
  copies.set(answer, left > 0 ? left - 1 : reminders)
  return left > 0
}

/** What the payer will have paid in the end. */
function totalOf({ amount, fees }: Challenge): Amount {
  const sum = (parseAmount(amount.amount) ?? 0n) + (parseAmount(fees?.amount ?? '0') ?? 0n)
  return moneyOf({ currency: amount.currency, amount: formatAmount(sum) })
}

/** In constant time: how much of it was right is nobody's to know. */
function isEntered({ authenticationInfo }: PutAuthorizations, secret: string): boolean {
  if (authenticationInfo?.authentication !== 'OTP') return false
  const entered = Buffer.from(authenticationInfo.authenticationValue)
  const expected = Buffer.from(secret)
  return entered.length === expected.length && timingSafeEqual(entered, expected)
}
