/**
 * How the kit has the FSP under test act first: a request that names the case and the action. The
 * answer may report how the action ended; without a report only the messages are judged.
 */
import type { Money } from '@causeway/fspiop'
import { request } from 'undici'
import type { Role } from './case.ts'

/** What the FSP is asked to do. The members are documented in the README of the package. */
export type Action =
  | {
      readonly action: 'pay'
      readonly to: { readonly partyIdType: string; readonly partyIdentifier: string }
      readonly amount: Money
      /** The payment expires so long after now. */
      readonly validFor_ms: number
    }
  | {
      readonly action: 'payBulk'
      readonly to: readonly { readonly partyIdType: string; readonly partyIdentifier: string }[]
      /** Of each payment. */
      readonly amount: Money
      readonly validFor_ms: number
    }
  | {
      readonly action: 'requestPayment'
      readonly payer: {
        readonly partyIdType: string
        readonly partyIdentifier: string
        readonly fspId: string
      }
      readonly amount: Money
      readonly validFor_ms: number
    }
  | {
      readonly action: 'link'
      readonly dfspId: string
      readonly userId: string
      readonly address: string
      /** What the user brings back from the DFSP. */
      readonly authToken: string
    }
  | {
      readonly action: 'payFromLink'
      readonly dfspId: string
      readonly consentId: string
      readonly address: string
      readonly to: { readonly partyIdType: string; readonly partyIdentifier: string }
      readonly amount: Money
      readonly validFor_ms: number
    }
  | { readonly action: 'unlink'; readonly dfspId: string; readonly consentId: string }
  /** As the user of the DFSP: allows what is requested. The report has the `authToken`. */
  | { readonly action: 'authenticate'; readonly consentRequestId: string }

/** How an action ended, where the FSP reports it. */
export interface ActionOutcome {
  /** COMMITTED, ABORTED, UNRESOLVED …: the word of the FSP. */
  readonly state?: string
  readonly authToken?: string
}

export type TriggerRequest = Action & { readonly case: string; readonly role: Role }

/** Rejects with NotTriggered when the FSP cannot do that. */
export type Trigger = (request: TriggerRequest) => Promise<ActionOutcome>

export class NotTriggered extends Error {}

/** Posts each request to the URL: 200 with the outcome at the end, 202 without one at any time. */
export function webhook(url: string): Trigger {
  return async (asked) => {
    const answer = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(asked),
      headersTimeout: 0,
    })
    const text = await answer.body.text()
    if (answer.statusCode >= 300) {
      throw new NotTriggered(`the trigger answered ${answer.statusCode} to ${asked.action}`)
    }
    try {
      const outcome = JSON.parse(text) as ActionOutcome | null
      return outcome ?? {}
    } catch {
      return {}
    }
  }
}
