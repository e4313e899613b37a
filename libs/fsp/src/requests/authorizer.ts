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

export function openAuthorizer({ name, hubName, link, silence_ms }: AuthorizerOptions): Authorizer {
  const questions = openQuestions<Challenge, Answered>(link, silence_ms)

  function ask(challenge: Challenge, retriesLeft: number) {
    const { transactionRequestId: id, payeeFsp, until_ms } = challenge
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
      reminder: request,
      deadline_ms: until_ms,
      context: challenge,
    })
  }

  function unasked({ source }: Received, id: string): Hearing | undefined {
    const challenge = questions.open(id)
    if (challenge === undefined) return 'NOT_MINE'
    return source === hubName || source === challenge.payeeFsp
      ? undefined
      : { disbelieved: `${source} has no part in the request` }
  }

  return {
    async isProven(challenge) {
      const { otp } = challenge
      let secret = await otp.make()
      for (let retriesLeft = otp.attempts_max; retriesLeft > 0; retriesLeft -= 1) {
        const ended = await ask(challenge, retriesLeft)
        if (ended.state !== 'ANSWERED' || ended.body.responseType === 'REJECTED') return false
        if (ended.body.responseType === 'RESEND') secret = await otp.make()
        else if (isEntered(ended.body, secret)) return true
      }
      return false
    },
    hearers: {
      'PUT /authorizations/{ID}'(message) {
        const id = idOf(message)
        const hearing = unasked(message, id)
        if (hearing !== undefined) return hearing
        const reading = bodyOf(putAuthorizations, message)
        if (!reading.ok) return { disbelieved: reading.detail }
        questions.answer(id, { state: 'ANSWERED', body: reading.value })
        return 'HEARD'
      },
      'PUT /authorizations/{ID}/error'(message) {
        const id = idOf(message)
        const hearing = unasked(message, id)
        if (hearing !== undefined) return hearing
        const reading = bodyOf(errorBody, message)
        if (!reading.ok) return { disbelieved: reading.detail }
        questions.answer(id, { state: 'FAILED', error: informationIn(reading.value) })
        return 'HEARD'
      },
    },
    close: () => questions.close(),
  }
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
