/** What a lane hands its notifications over with: one attempt each, judged by who knows the protocol. */
import type { Notification } from './contract.ts'
import type { FspRefusal, Verdict } from './domain/verdict.ts'

/** What came of one attempt. */
export interface Sent {
  readonly verdict: Verdict
  /** Of the HTTP answer; null when none came. */
  readonly httpStatus: number | null
  /** What a refusing FSP wrote into its answer. */
  readonly refusal: FspRefusal | undefined
}

export interface Transport {
  /** Never rejects: a failure is a verdict. */
  send(notification: Notification): Promise<Sent>
  /** Fails what is under way. */
  close(): Promise<void>
}
