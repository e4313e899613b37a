/** Runs cases, as many at a time as the settings allow; a case that breaks down counts as failed. */
import { type Case, type CaseResult, NotRun, Unmet } from './case.ts'
import { openKit } from './kit.ts'
import type { Peer } from './peer.ts'
import type { CertificationSettings } from './settings.ts'

export async function runCases(
  cases: readonly Case[],
  settings: CertificationSettings,
  peer: Peer,
  onResult: (result: CaseResult) => void = () => undefined,
): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = []
  const left = [...cases.entries()]
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [at, each] = next
      const result = await runCase(each, settings, peer)
      results[at] = result
      onResult(result)
    }
  }
  await Promise.all(Array.from({ length: settings.parallel }, work))
  return results
}

async function runCase(
  each: Case,
  settings: CertificationSettings,
  peer: Peer,
): Promise<CaseResult> {
  const { id, title, role, section } = each
  const kit = openKit(settings, peer, each)
  const begun_ms = performance.now()
  const end = await endOf(each, kit)
  kit.close()
  const ms = Math.round(performance.now() - begun_ms)
  return { id, title, role, section, ms, messages: kit.exchanged(), ...end }
}

type End =
  | { readonly state: 'passed' }
  | { readonly state: 'failed'; readonly expected: string; readonly seen: string }
  | { readonly state: 'notRun'; readonly why: string }

async function endOf(each: Case, kit: ReturnType<typeof openKit>): Promise<End> {
  try {
    await each.run(kit)
    return { state: 'passed' }
  } catch (error) {
    if (error instanceof NotRun) return { state: 'notRun', why: error.message }
    if (error instanceof Unmet) {
      return { state: 'failed', expected: error.expected, seen: error.seen }
    }
    const seen = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    return { state: 'failed', expected: 'messages that can be read', seen }
  }
}
