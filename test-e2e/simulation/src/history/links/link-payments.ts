/** Payments from linked accounts, as PISP and DFSP do them outside of the hub. */
import { randomUUID } from 'node:crypto'
import type { HttpRequest } from '@causeway/http'
import { hubName } from '../../hub/services.ts'
import { chance, holds, now_ms, ownedBy, rest } from '../../virtual/world.ts'
import type { Heard } from './heard.ts'
import {
  authorizationOf,
  endOf,
  receivedOf,
  userAnswerOf,
  verificationOf,
} from './link-messages.ts'
import { linkedDfsp as dfsp, pisp } from '../plan/link-plan.ts'
import type { LinkRecord, PaymentRecord } from './link-record.ts'
import type { Lead } from '../plan/plan.ts'
import { isAccepted, newRecord, newSent, type SentMessage, type TransferRecord } from '../record.ts'

/** What the DFSP does as the payer FSP of a transfer. */
export interface PayerFsp {
  question(record: TransferRecord, lead: Lead): Promise<void>
  prepare(record: TransferRecord): Promise<void>
}

type Tell = (link: LinkRecord, sent: SentMessage, message: HttpRequest) => Promise<void>

/** A DFSP waits so long for the user. */
const patience_ms = 3_000

export class LinkedPayments {
  readonly #payer: PayerFsp
  readonly #tell: Tell
  #transfers: TransferRecord[] = []

  constructor(payer: PayerFsp, tell: Tell) {
    this.#payer = payer
    this.#tell = tell
  }

  begin(transfers: TransferRecord[]): void {
    this.#transfers = transfers
  }

  hear(link: LinkRecord, heard: Heard): void {
    const payment = link.payments.find((each) => isAbout(heard, each))
    if (payment === undefined) return
    if (heard.to === pisp) this.#hearAsPisp(link, payment, heard)
    else if (heard.to === dfsp) this.#hearAsDfsp(link, payment, heard)
  }

  #hearAsPisp(link: LinkRecord, payment: PaymentRecord, { what, from, content }: Heard): void {
    const { ends } = payment
    switch (what) {
      case 'POST /thirdpartyRequests/authorizations':
        this.#once(link, `user ${payment.id}`, () => this.#askUser(link, payment))
        return
      case 'PATCH /thirdpartyRequests/transactions':
        ends.push(content.transactionState ?? '')
        return
      case 'PUT /thirdpartyRequests/transactions/error':
        if (from === hubName) payment.isUndelivered = true
        else ends.push(content.errorInformation?.errorCode ?? '')
        return
      default:
    }
  }

  #hearAsDfsp(link: LinkRecord, payment: PaymentRecord, { what, from, content }: Heard): void {
    const { results } = payment
    const heard_ms = now_ms()
    switch (what) {
      case 'POST /thirdpartyRequests/transactions':
        payment.isReceived = true
        this.#once(link, `serve ${payment.id}`, () => this.#serve(link, payment))
        return
      case 'PUT /thirdpartyRequests/authorizations':
        payment.authorized ??= content.responseType
        payment.signed ??= content.signedPayload
        return
      case 'PUT /thirdpartyRequests/authorizations/error':
        if (from === hubName) payment.authorized ??= 'UNDELIVERED'
        return
      case 'PUT /thirdpartyRequests/verifications':
        results.push({ result: 'VERIFIED', heard_ms })
        return
      case 'PUT /thirdpartyRequests/verifications/error':
        results.push({ result: content.errorInformation?.errorCode ?? '', heard_ms })
        return
      default:
    }
  }

  #once(link: LinkRecord, step: string, work: () => Promise<void>): void {
    if (link.done.has(step)) return
    link.done.add(step)
    ownedBy(undefined, () => void work())
  }

  async #askUser(link: LinkRecord, payment: PaymentRecord): Promise<void> {
    const { user } = payment.planned
    if (user === 'SILENT') return
    await rest(chance().below(200))
    if (user === 'LATE') await rest(patience_ms - 400 + chance().below(800))
    await this.#tell(link, newSent(), userAnswerOf(link, payment))
  }

  async #serve(link: LinkRecord, payment: PaymentRecord): Promise<void> {
    await rest(chance().below(50))
    // Known at once, so that the history waits for it.
    const end = newSent()
    link.sent.push(end)
    const { payee, amount, valid_ms, answers } = payment.planned
    const planned = { payer: dfsp, payee, amount, valid_ms, answers, begins_ms: 0, again: [] }
    const transfer = newRecord(randomUUID(), { ...planned, leads: ['QUOTE'] })
    payment.transfer = transfer
    this.#transfers.push(transfer)
    await this.#tell(link, newSent(), receivedOf(payment, randomUUID()))
    const decided = await this.#decide(link, payment, transfer)
    payment.decided = decided
    await this.#tell(link, end, endOf(payment, decided, new Date(now_ms()).toISOString()))
  }

  /** How it ends: `COMPLETED`, `REJECTED`, or the code of an error. */
  async #decide(
    link: LinkRecord,
    payment: PaymentRecord,
    transfer: TransferRecord,
  ): Promise<string> {
    await this.#payer.question(transfer, 'QUOTE')
    const refusal = transfer.questions.some(({ callbacks }) => callbacks[0] === 'ANSWER')
      ? await this.#authorize(link, payment)
      : '6003'
    if (refusal !== undefined) {
      transfer.isWithdrawn = true
      return refusal
    }
    await this.#payer.prepare(transfer)
    if (!isAccepted(transfer.prepare)) return '6003'
    await holds(() => transfer.payerEnds.length > 0)
    return transfer.payerEnds[0] === 'COMMITTED' ? 'COMPLETED' : '6003'
  }

  /** Asks the user, and the auth service about the signature; undefined: it is right. */
  async #authorize(link: LinkRecord, payment: PaymentRecord): Promise<string | undefined> {
    const asked = newSent()
    await this.#tell(link, asked, authorizationOf(payment))
    await holds(() => payment.authorized !== undefined, patience_ms)
    const { authorized, results, planned } = payment
    if (authorized === 'REJECTED') return 'REJECTED'
    if (authorized !== 'ACCEPTED') return '6001'
    if (link.planned.isVerifiedByDfsp === true) {
      if (isRevokedForDfsp(link)) return '6103'
      return planned.user === 'FORGES' ? '6201' : undefined
    }
    payment.verified_ms = now_ms()
    const verification = newSent()
    await this.#tell(link, verification, verificationOf(link, payment))
    if (!isAccepted(verification)) return `status ${verification.status}`
    await holds(() => results.length > 0)
    const [first] = results
    return first?.result === 'VERIFIED' ? undefined : first?.result
  }
}

/** A DFSP that verifies signatures itself knows of each revocation, by itself or by the PISP. */
function isRevokedForDfsp({ planned, revoking_ms, done }: LinkRecord): boolean {
  return planned.revocation?.by === 'DFSP' ? revoking_ms !== undefined : done.has('revoked')
}

function isAbout({ id, content }: Heard, payment: PaymentRecord): boolean {
  const about = content.authorizationRequestId ?? content.transactionRequestId ?? id
  return [payment.id, payment.authorizationId, payment.verificationId].includes(about)
}
