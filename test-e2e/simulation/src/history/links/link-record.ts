/** What the world outside knows of a link and of the payments from it. It survives every crash. */
import { randomUUID } from 'node:crypto'
import { openDevice } from '@causeway/credentials/testing'
import type { PlannedLink, PlannedLinkPayment } from '../plan/link-plan.ts'
import { isAccepted, newSent, type SentMessage, type TransferRecord } from '../record.ts'

/** How a participant learns that a consent is revoked. */
export interface Revoked {
  readonly to: string
  readonly revokedAt: string
  readonly heard_ms: number
}

/** A question to a side: whether it was sent, received, and how it ended. */
interface RequestRecord {
  /** Of the request of the PISP. */
  readonly asked: SentMessage
  /** Its DFSP has received it. */
  isReceived: boolean
  /** The PISP has learned from the hub that it could not be delivered. */
  isUndelivered: boolean
  /** What the DFSP says about the end: `LINKED`, `COMPLETED`, `REJECTED`, or the code of an error. */
  decided: string | undefined
  /** What the PISP has learned about the end, in order. */
  readonly ends: string[]
}

export interface PaymentRecord extends RequestRecord {
  readonly id: string
  readonly planned: PlannedLinkPayment
  readonly authorizationId: string
  readonly verificationId: string
  /** What the PISP has answered: `ACCEPTED`, `REJECTED`, or that it could not be asked. */
  authorized: string | undefined
  /** signedPayloadType, and what was signed. */
  signed: object | undefined
  /** When the auth service was asked first. */
  verified_ms: number | undefined
  /** What it has answered: `VERIFIED` or the code of an error, and when. */
  readonly results: { readonly result: string; readonly heard_ms: number }[]
  transfer: TransferRecord | undefined
}

type Device = ReturnType<typeof openDevice>

export interface LinkRecord extends RequestRecord {
  /** Of the request for a consent. */
  readonly id: string
  readonly consentId: string
  readonly planned: PlannedLink
  /** Authenticators of the user and of another person: their signatures follow from key and message. */
  readonly devices: Readonly<Record<'user' | 'other', Device>>
  /** What each side has done: it does each once, however often it is asked. */
  readonly done: Set<string>
  /** What the auth service has answered the DFSP about the registration: `VERIFIED` or the code of an error. */
  readonly verdicts: string[]
  /** When the first side began to revoke the consent. */
  revoking_ms: number | undefined
  readonly revoked: Revoked[]
  /** The revocation of the PISP could not be delivered. */
  isRevocationLost: boolean
  /** Refusals of a revocation, by their codes. */
  readonly refusals: string[]
  readonly payments: readonly PaymentRecord[]
  /** All messages of both sides. */
  readonly sent: SentMessage[]
  /** The PISP has nothing more to ask. */
  isDone: boolean
}

export function newLink(planned: PlannedLink): LinkRecord {
  return {
    id: randomUUID(),
    consentId: randomUUID(),
    planned,
    devices: { user: openDevice('EdDSA'), other: openDevice('EdDSA') },
    ...newAsked(),
    done: new Set(),
    verdicts: [],
    revoking_ms: undefined,
    revoked: [],
    isRevocationLost: false,
    refusals: [],
    payments: planned.payments.map(newPayment),
    sent: [],
    isDone: false,
  }
}

function newPayment(planned: PlannedLinkPayment): PaymentRecord {
  return {
    id: randomUUID(),
    planned,
    ...newAsked(),
    authorizationId: randomUUID(),
    verificationId: randomUUID(),
    authorized: undefined,
    signed: undefined,
    verified_ms: undefined,
    results: [],
    transfer: undefined,
  }
}

function newAsked(): RequestRecord {
  return {
    asked: newSent(),
    isReceived: false,
    isUndelivered: false,
    decided: undefined,
    ends: [],
  }
}

/** Whether the PISP knows how it ended; what did not reach the DFSP has no other end. */
export function hasEnded({ asked, ends, isReceived, isUndelivered }: RequestRecord): boolean {
  if (asked.status === undefined) return false
  return !isAccepted(asked) || ends.length > 0 || (isUndelivered && !isReceived)
}

/** Whether both sides know all that they will. */
export function isLinkOver({ isDone, sent }: LinkRecord): boolean {
  return isDone && sent.every(({ status }) => status !== undefined)
}
