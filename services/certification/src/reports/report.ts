/** The results of a certification as a whole; the report is written from it in three forms. */
import type { CaseResult } from '../case.ts'

export interface CertificationReport {
  readonly fsp: string
  readonly callbackUrl: string
  readonly startedAt: string
  readonly finishedAt: string
  readonly passed: number
  readonly failed: number
  readonly notRun: number
  readonly results: readonly CaseResult[]
}

export function reportOf(
  about: Pick<CertificationReport, 'fsp' | 'callbackUrl' | 'startedAt' | 'finishedAt'>,
  results: readonly CaseResult[],
): CertificationReport {
  const count = (state: CaseResult['state']) =>
    results.filter((result) => result.state === state).length
  return {
    ...about,
    passed: count('passed'),
    failed: count('failed'),
    notRun: count('notRun'),
    results,
  }
}

/** Text in XML and HTML, without the characters that XML 1.0 has none for. */
export function escaped(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
