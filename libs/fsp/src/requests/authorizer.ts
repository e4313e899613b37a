/**
 * The payer's confirmation at the payee's device: the payer FSP issues a one-time password, the
 * payee FSP sends what was entered, and after too many wrong ones nothing is paid. FSPIOP 6.6.
 */
import { errorBody, putAuthorizations, type PutAuthorizations } from '@causeway/fspiop'
import { formatAmount, parseAmount } from '@causeway/money'
import { timingSafeEqual } from 'node:crypto'
import { type Amount, moneyOf } from '../amount.ts'
import { openPendingRequests } from '../pending-requests.ts'
import { type Failed, informationIn } from '../errors.ts'
import type { HubLink } from '../hub/link.ts'
import {
  bodyOf,
  type InboundHandlers,
  type HandlerResult,
  idOf,
  type Received,
} from '../inbound.ts'
import { writeMessage } from '../message.ts'
import type { Otp } from './request.ts'

export interface AuthorizerOptions {
  readonly name: string
  readonly hubName: string
  readonly link: HubLink
  readonly resendAfter_ms: number
}

export interface Challenge {
  readonly transactionRequestId: string
  readonly payeeFsp: string
  /** What is transferred. */
  readonly amount: Amount
  /** The payer FSP's own fees, on top of it. */
  readonly fees: Amount | undefined
  readonly otp: Otp
  /** Of Date.now. */
  readonly until_ms: number
}

export interface Authorizer {
  /** False: the payer rejects, has no attempts left, or no answer arrived in time. */
  isProven(challenge: Challenge): Promise<boolean>
  readonly handlers: Pick<
    InboundHandlers,
    'PUT /authorizations/{ID}' | 'PUT /authorizations/{ID}/error'
  >
  close(): void
}

type OtpAnswer = { readonly state: 'ANSWERED'; readonly body: PutAuthorizations } | Failed

/** A challenge while one of its attempts is pending. */
interface OtpAttempt {
  readonly challenge: Challenge
  /** How often the attempt was sent again: each copy may bring its answer once more. */
  reminders: number
  /** By the bytes of a received answer, how many copies of it may still arrive. */
  readonly copies: Map<string, number>
}

export function openAuthorizer(options: AuthorizerOptions): Authorizer {
  const { name, hubName, link, resendAfter_ms } = options
  const pending = openPendingRequests<OtpAttempt, OtpAnswer>(link, resendAfter_ms)

  function ask(challenge: Challenge, retriesLeft: number, copies: OtpAttempt['copies']) {
    const { transactionRequestId: id, payeeFsp, until_ms } = challenge
    const attempt: OtpAttempt = { challenge, reminders: 0, copies }
    const query = new URLSearchParams({
      authenticationType: 'OTP',
      retriesLeft: String(retriesLeft),
      ...totalOf(challenge),
    })
    const route = { from: name, to: payeeFsp }
    const request = () => writeMessage('GET', `/authorizations/${id}?${query.toString()}`, route)
    return pending.send({
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

  const hasPart = ({ source }: Received, { challenge }: OtpAttempt) =>
    source === hubName || source === challenge.payeeFsp

  return {
    async isProven(challenge) {
      const { otp } = challenge
      let secret = await otp.make()
      const copies: OtpAttempt['copies'] = new Map()
      for (let retriesLeft = otp.attempts_max; retriesLeft > 0; retriesLeft -= 1) {
        const ended = await ask(challenge, retriesLeft, copies)
        if (ended.state !== 'ANSWERED' || ended.body.responseType === 'REJECTED') return false
        if (ended.body.responseType === 'RESEND') secret = await otp.make()
        else if (isEntered(ended.body, secret)) return true
      }
      return false
    },
    handlers: {
      'PUT /authorizations/{ID}'(message) {
        const id = idOf(message)
        const attempt = pending.contextOf(id)
        if (attempt === undefined) return 'NOT_MINE'
        if (!hasPart(message, attempt)) return stranger(message)
        const reading = bodyOf(putAuthorizations, message)
        if (!reading.ok) return { rejected: reading.detail }
        if (isCopy(attempt, message.body)) return 'HANDLED'
        pending.answer(id, { state: 'ANSWERED', body: reading.value })
        return 'HANDLED'
      },
      'PUT /authorizations/{ID}/error'(message) {
        const id = idOf(message)
        const attempt = pending.contextOf(id)
        if (attempt === undefined) return 'NOT_MINE'
        if (!hasPart(message, attempt)) return stranger(message)
        const reading = bodyOf(errorBody, message)
        if (!reading.ok) return { rejected: reading.detail }
        pending.answer(id, { state: 'FAILED', error: informationIn(reading.value) })
        return 'HANDLED'
      },
    },
    close: () => pending.close(),
  }
}

function stranger({ source }: Received): HandlerResult {
  return { rejected: `${source} is not a party to the request` }
}

/**
 * An answer does not name its attempt. Copies of an answer that an earlier attempt may still bring
 * are not counted for this attempt; if the same value was entered again, the next reminder brings
 * it.
 */
function isCopy({ copies, reminders }: OtpAttempt, body: Buffer): boolean {
  const answer = body.toString()
  const left = copies.get(answer) ?? 0
  copies.set(answer, left > 0 ? left - 1 : reminders)
  return left > 0
}

/** What the payer pays in total. */
function totalOf({ amount, fees }: Challenge): Amount {
  const sum = (parseAmount(amount.amount) ?? 0n) + (parseAmount(fees?.amount ?? '0') ?? 0n)
  return moneyOf({ currency: amount.currency, amount: formatAmount(sum) })
}

/** In constant time: it must not reveal how much of the value was right. */
function isEntered({ authenticationInfo }: PutAuthorizations, secret: string): boolean {
  if (authenticationInfo?.authentication !== 'OTP') return false
  const entered = Buffer.from(authenticationInfo.authenticationValue)
  const expected = Buffer.from(secret)
  return entered.length === expected.length && timingSafeEqual(entered, expected)
}
