/**
 * A PISP and the DFSP of its users, outside of the hub: they link accounts and pay from them. Each does
 * each step once, however often it is asked, and repeats what was not answered. They never forget.
 */
import { canonicalJson } from '@causeway/fspiop'
import type { HttpRequest } from '@causeway/http'
import { authServiceName, hubName } from '../../hub/services.ts'
import { chance, holds, now_ms, ownedBy, rest } from '../../virtual/world.ts'
import { heardIn, type Content, type Heard } from './heard.ts'
import { LinkedPayments, type PayerFsp } from './link-payments.ts'
import {
  channelOf,
  consentRequestOf,
  credentialMessageOf,
  grantOf,
  linkedOf,
  refusalOf,
  registrationOf,
  revocationOf,
  revokedOf,
  tokenOf,
  transactionOf,
  verifiedBodyOf,
} from './link-messages.ts'
import { linkedDfsp as dfsp, pisp } from '../plan/link-plan.ts'
import { hasEnded, type LinkRecord } from './link-record.ts'
import { isAccepted, newSent, type SentMessage, type TransferRecord } from '../record.ts'
import { Relayed } from './relayed.ts'
import type { Sender } from '../sender.ts'

export class Links {
  readonly #sender: Sender
  readonly #relayed = new Relayed()
  readonly #payments: LinkedPayments
  #links: readonly LinkRecord[] = []

  constructor(sender: Sender, payer: PayerFsp) {
    this.#sender = sender
    this.#payments = new LinkedPayments(payer, (link, sent, message) =>
      this.#tell(link, sent, message),
    )
  }

  /** The links of the next history; `transfers` gets the transfers that pay from them. */
  begin(links: readonly LinkRecord[], transfers: TransferRecord[]): void {
    this.#links = links
    this.#payments.begin(transfers)
    this.#relayed.begin()
  }

  /** What is wrong with what the hub has relayed. */
  takeWrong(): readonly string[] {
    return this.#relayed.takeWrong()
  }

  async play(link: LinkRecord): Promise<void> {
    const { planned, asked, payments, ends } = link
    await rest(planned.begins_ms)
    await this.#tell(link, asked, consentRequestOf(link))
    await holds(() => hasEnded(link))
    if (ends.includes('LINKED')) {
      const paying = payments.map(async (payment) => {
        await rest(payment.planned.begins_ms)
        await this.#tell(link, payment.asked, transactionOf(link, payment))
        await holds(() => hasEnded(payment))
      })
      await Promise.all([...paying, this.#revoke(link)])
    }
    link.isDone = true
  }

  /** Receives a callback. */
  take(request: HttpRequest): void {
    const heard = heardIn(request)
    this.#relayed.check(request, heard)
    for (const link of this.#links) {
      const { content, id, what } = heard
      const consentId = content.consentId ?? id
      const requestId = content.consentRequestId ?? id
      if (consentId === link.consentId || requestId === link.id) this.#hear(link, heard)
      else if (what.includes('/thirdpartyRequests/')) this.#payments.hear(link, heard)
    }
  }

  #hear(link: LinkRecord, heard: Heard): void {
    if (heard.from === hubName) hearOfFailure(link, heard, () => this.#refuse(link, '6003'))
    else if (heard.what === 'PATCH /consents') {
      const { revokedAt = '' } = heard.content
      link.revoked.push({ to: heard.to, revokedAt, heard_ms: now_ms() })
    } else if (heard.to === dfsp) this.#hearAsDfsp(link, heard)
    else if (heard.to === pisp) this.#hearAsPisp(link, heard)
  }

  #hearAsDfsp(link: LinkRecord, { what, from, content }: Heard): void {
    const isOfAuthService = from === authServiceName
    const { errorCode = '' } = content.errorInformation ?? {}
    switch (what) {
      case 'POST /consentRequests':
        link.isReceived = true
        this.#answer(link, 'channel', () => channelOf(link))
        return
      case 'PATCH /consentRequests':
        this.#answer(link, 'grant', () => grantOf(link))
        return
      case 'PUT /consents':
        if (!isOfAuthService) {
          if (link.decided === undefined) this.#check(link)
          return
        }
        link.verdicts.push(isVerified(link, content) ? 'VERIFIED' : 'ANOTHER BODY')
        link.decided ??= 'LINKED'
        if (link.decided === 'LINKED') this.#answer(link, 'end', () => linkedOf(link))
        return
      case 'DELETE /consents':
        this.#answer(link, 'revoked', () => revokedOf(link, new Date(now_ms()).toISOString()))
        return
      case 'PUT /consents/error':
        // Where it has asked to revoke the consent, it is about that.
        if (link.planned.revocation?.by === 'DFSP' && link.revoking_ms !== undefined) {
          if (errorCode !== '6103') link.refusals.push(errorCode)
        } else link.verdicts.push(errorCode)
        if (link.decided === undefined) this.#refuse(link, errorCode)
        return
      default:
    }
  }

  #hearAsPisp(link: LinkRecord, { what, from, content }: Heard): void {
    const { errorCode = '' } = content.errorInformation ?? {}
    switch (what) {
      case 'PUT /consentRequests':
        this.#answer(link, 'token', () => tokenOf(link))
        return
      case 'POST /consents':
        this.#answer(link, 'credential', () => credentialMessageOf(link))
        return
      case 'PUT /consents':
        link.ends.push(isVerified(link, content) ? 'LINKED' : 'ANOTHER BODY')
        return
      case 'PUT /consentRequests/error':
        link.ends.push(errorCode)
        return
      case 'PUT /consents/error':
        if (from === authServiceName) link.refusals.push(errorCode)
        return
      default:
    }
  }

  /** The DFSP has the credential of the user. */
  #check(link: LinkRecord): void {
    const { isVerifiedByDfsp, credential } = link.planned
    if (isVerifiedByDfsp !== true) this.#answer(link, 'register', () => registrationOf(link))
    else if (credential === 'FORGED') this.#refuse(link, '6200')
    else {
      link.decided = 'LINKED'
      this.#answer(link, 'end', () => linkedOf(link))
    }
  }

  /** The DFSP gives up. */
  #refuse(link: LinkRecord, errorCode: string): void {
    link.decided = errorCode
    this.#answer(link, 'end', () => refusalOf(link, errorCode))
  }

  /** Does a step once, soon. */
  #answer(link: LinkRecord, step: string, message: () => HttpRequest): void {
    if (link.done.has(step)) return
    link.done.add(step)
    const sent = newSent()
    link.sent.push(sent)
    ownedBy(undefined, () => {
      void rest(chance().below(50)).then(() => this.#tell(link, sent, message()))
    })
  }

  async #revoke(link: LinkRecord): Promise<void> {
    const { revocation } = link.planned
    if (revocation === undefined) return
    await rest(revocation.begins_ms)
    link.revoking_ms = now_ms()
    const sent = newSent()
    await this.#tell(link, sent, revocationOf(link, new Date(now_ms()).toISOString()))
    if (!isAccepted(sent)) {
      link.refusals.push(`status ${sent.status}`)
      return
    }
    const isOfPispAlone = revocation.how === 'PATCH' || link.planned.isVerifiedByDfsp === true
    const learn = isOfPispAlone ? [pisp] : [pisp, dfsp]
    const isTold = () => learn.every((side) => link.revoked.some(({ to }) => to === side))
    await holds(() => isTold() || link.refusals.length > 0 || link.isRevocationLost)
  }

  /** Sends the same bytes until they are answered, and where that is planned once more. */
  async #tell(link: LinkRecord, sent: SentMessage, message: HttpRequest): Promise<void> {
    if (!link.sent.includes(sent)) link.sent.push(sent)
    this.#relayed.expect(message)
    await this.#sender.send(sent, () => message)
    if (link.planned.repeats !== true || !isAccepted(sent)) return
    const again = newSent()
    link.sent.push(again)
    void rest(chance().below(500)).then(() => this.#sender.send(again, () => message))
  }
}

/** The hub could not deliver a message of a side. What was received all the same goes on. */
function hearOfFailure(link: LinkRecord, { to, what }: Heard, refuse: () => void): void {
  if (to === pisp && what === 'PUT /consentRequests/error') link.isUndelivered = true
  // Only a DFSP that verifies by itself is sent the revocation; the auth service has the others.
  const isOfRevocation = to === pisp && what === 'PUT /consents/error'
  const isRevoking = link.revoking_ms !== undefined && link.planned.isVerifiedByDfsp === true
  if (isOfRevocation && isRevoking) link.isRevocationLost = true
  // Of the grant: what the DFSP tells the PISP later has its answer already.
  const isOfGrant = to === dfsp && what === 'PUT /consents/error'
  if (isOfGrant && link.decided === undefined && !link.done.has('register')) refuse()
}

function isVerified(link: LinkRecord, content: Content): boolean {
  return canonicalJson(content) === canonicalJson(verifiedBodyOf(link))
}
