/**
 * What must be right about links and the payments from them: each has one end, the same for PISP, DFSP
 * and hub, and no consent is used after it was revoked.
 */
import {
  consentsService,
  thirdPartyTransactionsService,
  type ConsentSummary,
  type ThirdPartySummary,
} from '@causeway/protos'
import type { Supervisor } from '../../hub/supervisor.ts'
import { pisp } from '../plan/link-plan.ts'
import type { LinkRecord, PaymentRecord } from '../links/link-record.ts'
import { isAccepted } from '../record.ts'

const patient = { deadline_ms: 60_000 }
const revokedCode = '6103'

interface Circumstances {
  readonly isUndisturbed: boolean
  /** Callbacks were refused, so that a message may stay undelivered. */
  readonly mayStay: boolean
}

/** Everything that is wrong, as sentences. */
export async function judgeLinks(
  supervisor: Supervisor,
  links: readonly LinkRecord[],
  circumstances: Circumstances,
): Promise<readonly string[]> {
  if (links.length === 0) return []
  const found = links.flatMap((link) => [
    ...judgeLink(link, circumstances),
    ...link.payments.flatMap((payment) => judgePayment(link, payment, circumstances)),
  ])
  for (const link of links) {
    found.push(...compareConsent(link, await consentOf(supervisor, link)))
    for (const payment of link.payments) {
      if (isAccepted(payment.asked)) {
        found.push(...comparePayment(link, payment, await transactionOf(supervisor, payment)))
      }
    }
  }
  return found
}

export function judgeLink(
  link: LinkRecord,
  { isUndisturbed, mayStay }: Circumstances,
): readonly string[] {
  const { id, planned, asked, ends, decided, verdicts, refusals, isReceived, isRevocationLost } =
    link
  if (!isAccepted(asked)) return [`the link ${id} was refused with the status ${asked.status}`]
  const what = `the link ${id} (${planned.credential})`
  const isHosted = planned.isVerifiedByDfsp !== true
  const found = refusals.map((code) => `the revocation of ${what} was refused: ${code}`)
  if (!isReceived) return mayStay ? found : [...found, `${what} did not reach its DFSP`]
  if (ends.some((end) => end !== decided)) {
    found.push(`${what} ended as ${decided} for the DFSP, as ${ends.join()} for the PISP`)
  }
  const right = planned.credential === 'RIGHT' ? 'LINKED' : '6200'
  // The grant did not reach the PISP.
  const isStuck = mayStay && decided === '6003' && verdicts.length === 0
  if (decided !== right && !isStuck) found.push(`${what} ended as ${decided}; right: ${right}`)
  const verdict = planned.credential === 'RIGHT' ? 'VERIFIED' : '6200'
  for (const each of new Set(verdicts)) {
    const isLater = each === revokedCode && link.revoking_ms !== undefined
    if (each !== verdict && !isLater) found.push(`the auth service answered ${each} to ${what}`)
  }
  found.push(...judgeRevocation(link, what))
  if (isRevocationLost && !mayStay) found.push(`the revocation of ${what} was not delivered`)
  if (!isUndisturbed || planned.repeats === true) return found
  for (const [side, learned] of [
    ['PISP', ends],
    ['DFSP', verdicts],
  ] as const) {
    if (learned.length !== 1 && (side === 'PISP' || isHosted)) {
      found.push(`the ${side} learned the end of ${what} ${learned.length} times`)
    }
  }
  return found
}

/** Both sides learn the same moment. */
function judgeRevocation({ revoked, revoking_ms }: LinkRecord, what: string): readonly string[] {
  const moments = new Set(revoked.map(({ revokedAt }) => revokedAt))
  if (moments.size > 1) return [`${what} was revoked at ${[...moments].join(' and ')}`]
  if (moments.size > 0 && revoking_ms === undefined) return [`nobody has revoked ${what}`]
  return []
}

export function judgePayment(
  link: LinkRecord,
  payment: PaymentRecord,
  { isUndisturbed, mayStay }: Circumstances,
): readonly string[] {
  const { id, planned, asked, ends, decided, isReceived, transfer } = payment
  // The account was not linked.
  if (asked.status === undefined) return []
  if (!isAccepted(asked)) return [`the payment ${id} was refused with the status ${asked.status}`]
  const what = `the payment ${id} (${planned.user})`
  if (!isReceived) return mayStay ? [] : [`${what} did not reach its DFSP`]
  const found = [...judgeResults(link, payment, what)]
  if (ends.some((end) => end !== decided)) {
    found.push(`${what} ended as ${decided} for the DFSP, as ${ends.join()} for the PISP`)
  }
  const isCommitted = transfer?.payerEnds.includes('COMMITTED') === true
  if (ends.includes('COMPLETED') !== isCommitted) {
    found.push(`${what} ended as ${ends.join()}, and its transfer as ${transfer?.payerEnds.join()}`)
  }
  if (isUndisturbed && link.planned.repeats !== true && ends.length !== 1) {
    found.push(`the PISP learned the end of ${what} ${ends.length} times`)
  }
  return found
}

/** What the auth service answers about a signature does not change, except that a revoked consent verifies none. */
function judgeResults(
  { revoked, revoking_ms = Infinity }: LinkRecord,
  { planned, results, verified_ms = Infinity }: PaymentRecord,
  what: string,
): readonly string[] {
  const right = planned.user === 'FORGES' ? '6201' : 'VERIFIED'
  const isRevoked = revoked.some(({ heard_ms }) => heard_ms < verified_ms)
  return results.flatMap(({ result, heard_ms }) => {
    if (result === 'VERIFIED' && isRevoked) return [`${what} used a consent that was revoked`]
    if (result === right || (result === revokedCode && revoking_ms < heard_ms)) return []
    return [`the auth service answered ${result} about the signature of ${what}; right: ${right}`]
  })
}

async function consentOf(
  supervisor: Supervisor,
  { consentId }: LinkRecord,
): Promise<ConsentSummary | undefined> {
  const { record } = await supervisor.ask(({ grpc }) =>
    grpc.client(consentsService, 'auth-service').GetConsentRecord({ consentId }, patient),
  )
  return record?.summary ?? undefined
}

function compareConsent(link: LinkRecord, stored: ConsentSummary | undefined): readonly string[] {
  const { consentId, id, decided, revoked, verdicts, planned } = link
  const state = stored?.state ?? 'unknown'
  const right = rightStateOf(link)
  const found: string[] = []
  if (state !== right) {
    found.push(`the consent ${consentId} is ${state}; right: ${right}, since it is ${decided}`)
  }
  const [learned] = revoked
  const isDated =
    right === 'REVOKED' && planned.revocation?.how === 'DELETE' && learned !== undefined
  if (isDated && Date.parse(stored?.revokedAt ?? '') !== Date.parse(learned.revokedAt)) {
    found.push(`the consent ${consentId} was revoked at ${stored?.revokedAt}, not as was announced`)
  }
  if (stored !== undefined && (stored.pispId !== pisp || stored.consentRequestId !== id)) {
    found.push(`the consent ${consentId} is stored as one of ${stored.pispId}`)
  }
  if (verdicts.length > 0 && stored === undefined) found.push(`the consent ${consentId} is gone`)
  return found
}

function rightStateOf({ planned, verdicts, revoked }: LinkRecord): string {
  if (planned.isVerifiedByDfsp === true) return 'unknown'
  if (revoked.length > 0) return 'REVOKED'
  if (verdicts.includes('VERIFIED')) return 'ISSUED'
  return verdicts.length > 0 ? 'REFUSED' : 'unknown'
}

async function transactionOf(
  supervisor: Supervisor,
  { id }: PaymentRecord,
): Promise<ThirdPartySummary | undefined> {
  const { transactions } = await supervisor.ask(({ grpc }) =>
    grpc
      .client(thirdPartyTransactionsService, 'auth-service')
      .FindThirdPartyTransactions({ transactionRequestIds: [id] }, patient),
  )
  return transactions[0]
}

/** The hub has seen what passed. */
function comparePayment(
  { consentId }: LinkRecord,
  { id, decided, isReceived, results }: PaymentRecord,
  stored: ThirdPartySummary | undefined,
): readonly string[] {
  const known = [stored?.state, stored?.transactionState, stored?.errorCode].join(' ')
  const right = isReceived ? statesOf(decided) : 'REQUESTED  '
  const found = known === right ? [] : [`the hub holds ${id} as ${known}; right: ${right}`]
  if (results.length > 0 && stored?.consentId !== consentId) {
    found.push(`the hub holds ${id} as paid under the consent ${stored?.consentId}`)
  }
  return found
}

function statesOf(decided: string | undefined): string {
  if (decided === 'COMPLETED') return 'ACCEPTED COMPLETED '
  return decided === 'REJECTED' ? 'REJECTED REJECTED ' : `FAILED  ${decided}`
}
