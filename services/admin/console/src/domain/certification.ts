/** Reports of the certification kit: how one ended, its cases by role, and what is uploaded of a file. */

interface Counts {
  readonly passed: number
  readonly failed: number
}

/** The word for the whole report: what was not run proves nothing. */
export function outcomeOf({ passed, failed }: Counts): string {
  if (failed > 0) return 'FAILED'
  return passed > 0 ? 'PASSED' : 'NOT RUN'
}

const stateNames = { passed: 'PASSED', failed: 'FAILED', notRun: 'NOT RUN' } as const

export function stateName(state: keyof typeof stateNames): string {
  return stateNames[state]
}

const roleTitles = [
  ['payer', 'As the payer’s FSP'],
  ['payee', 'As the payee’s FSP'],
  ['dfsp', 'As a DFSP'],
  ['pisp', 'As a PISP'],
] as const

interface OfRole {
  readonly role: (typeof roleTitles)[number][0]
}

export interface RoleResults<Result> {
  readonly title: string
  readonly results: readonly Result[]
}

/** In the order of the report; a role without results is left out. */
export function resultsByRole<Result extends OfRole>(
  results: readonly Result[],
): readonly RoleResults<Result>[] {
  return roleTitles
    .map(([role, title]) => ({ title, results: results.filter((each) => each.role === role) }))
    .filter((group) => group.results.length > 0)
}

/** The report in a file of the kit, without messages; throws a sentence for the reader. */
export function reportIn(text: string): object {
  const report = objectIn(text)
  const results: unknown = report === undefined ? undefined : Reflect.get(report, 'results')
  if (report === undefined || !Array.isArray(results)) {
    throw new Error('The file is not a report of the certification kit (report.json).')
  }
  return { ...report, results: results.map(withoutMessages) }
}

function objectIn(text: string): object | undefined {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === 'object' && json !== null ? json : undefined
  } catch {
    return undefined
  }
}

function withoutMessages(result: unknown): unknown {
  if (typeof result !== 'object' || result === null) return result
  const members = Object.entries(result).filter(([name]) => name !== 'messages')
  return Object.fromEntries(members)
}
