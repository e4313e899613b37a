/** The transport of a lane: makes one attempt and interprets its answer. */
import type { Notification } from './contract.ts'
import type { FspRefusal, Verdict } from './domain/verdict.ts'

/** The result of one attempt. */
export interface Sent {
  readonly verdict: Verdict
  /** The status of the HTTP answer; null when there was none. */
  readonly httpStatus: number | null
  /** The error in the answer of a refusing FSP. */
  readonly refusal: FspRefusal | undefined
}

export interface Transport {
  /** Never rejects: a failure is a verdict. */
  send(notification: Notification): Promise<Sent>
  /** Fails the attempts in progress. */
  close(): Promise<void>
}
