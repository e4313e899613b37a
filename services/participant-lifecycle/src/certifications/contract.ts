/** Wire ↔ domain of reports of certifications. What cannot be stored is refused as INVALID. */
import { isTime } from '@causeway/records'
import { isRefused, refuse } from '@causeway/services'
import {
  certificationResultRoleValues,
  certificationResultStateValues,
  type Certification as CertificationMessage,
  type CertificationReport,
  type CertificationResult,
  type CertificationResultRole,
  type CertificationResultState,
} from '@causeway/protos'
import type { RefusedChange } from '../domain/refusal.ts'

/** How one case ended. */
export interface CaseResult {
  readonly caseId: string
  readonly title: string
  readonly role: CertificationResultRole
  readonly section: string
  readonly state: CertificationResultState
  /** Of a failed case alone. */
  readonly expected: string | null
  readonly seen: string | null
  /** Of a case that was not run alone. */
  readonly why: string | null
}

export interface KitReport {
  readonly startedAt: string
  readonly finishedAt: string
  readonly callbackUrl: string
  readonly results: readonly CaseResult[]
}

/** A stored report without its results. */
export interface Certification {
  readonly id: number
  readonly participant: string
  readonly startedAt: Date
  readonly finishedAt: Date
  readonly callbackUrl: string
  readonly passed: number
  readonly failed: number
  readonly notRun: number
  readonly uploadedBy: string
  readonly uploadedAt: Date
}

const results_max = 2_000
const url_length_max = 2_048

export function reportOf(message: CertificationReport): KitReport | RefusedChange {
  const { startedAt, finishedAt, callbackUrl } = message
  if (!isTime(startedAt)) return refuse('INVALID', 'startedAt is a time in UTC')
  if (!isTime(finishedAt)) return refuse('INVALID', 'finishedAt is a time in UTC')
  if (finishedAt < startedAt) return refuse('INVALID', 'finishedAt is before startedAt')
  if (!isUrl(callbackUrl)) return refuse('INVALID', 'callbackUrl is a URL')
  if (message.results.length === 0 || message.results.length > results_max) {
    return refuse('INVALID', `a report has 1 to ${results_max} results`)
  }
  const results: CaseResult[] = []
  for (const each of message.results) {
    const result = resultOf(each)
    if (isRefused(result)) return result
    results.push(result)
  }
  if (new Set(results.map(({ caseId }) => caseId)).size < results.length) {
    return refuse('INVALID', 'a case is in the report twice')
  }
  return { startedAt, finishedAt, callbackUrl, results }
}

/** The database stores no U+0000. */
function isUrl(text: string): boolean {
  return text.length <= url_length_max && !text.includes('\0') && URL.canParse(text)
}

function resultOf(message: CertificationResult): CaseResult | RefusedChange {
  const { caseId, title, role, section, state } = message
  const { expected = null, seen = null, why = null } = message
  if (caseId === '' || title === '' || section === '') {
    return refuse('INVALID', 'a result has a case, a title and a section')
  }
  if (!certificationResultRoleValues.includes(role)) {
    return refuse('INVALID', `role of ${caseId} is none of the roles`)
  }
  if (!certificationResultStateValues.includes(state)) {
    return refuse('INVALID', `state of ${caseId} is none of the states`)
  }
  const isFailed = state === 'failed'
  if ((expected !== null) !== isFailed || (seen !== null) !== isFailed) {
    return refuse('INVALID', `a failed case alone has expected and seen: ${caseId}`)
  }
  if ((why !== null) !== (state === 'notRun')) {
    return refuse('INVALID', `a case that was not run alone has why: ${caseId}`)
  }
  return { caseId, title, role, section, state, expected, seen, why }
}

/** How many cases ended in each state. */
export function countsOf(
  results: readonly CaseResult[],
): Readonly<Record<CertificationResultState, number>> {
  const count = (state: CertificationResultState) =>
    results.filter((one) => one.state === state).length
  return { passed: count('passed'), failed: count('failed'), notRun: count('notRun') }
}

export function certificationMessage(one: Certification): CertificationMessage {
  const { id, participant: name, callbackUrl, passed, failed, notRun, uploadedBy } = one
  return {
    id,
    name,
    startedAt: one.startedAt.toISOString(),
    finishedAt: one.finishedAt.toISOString(),
    callbackUrl,
    passed,
    failed,
    notRun,
    uploadedBy,
    uploadedAt: one.uploadedAt.toISOString(),
  }
}

export function resultMessage({ expected, seen, why, ...rest }: CaseResult): CertificationResult {
  return {
    ...rest,
    expected: expected ?? undefined,
    seen: seen ?? undefined,
    why: why ?? undefined,
  }
}
