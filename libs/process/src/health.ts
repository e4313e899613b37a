/**
 * Health checks. Live: every worker makes progress or has no work; a process that is not live
 * should be ended. Ready: the process's own dependencies answer; a process that is not ready gets
 * no traffic.
 */

/** The health reports of a service. */
export interface Health {
  /** A dependency: the check throws while it does not answer. */
  ready(name: string, check: () => Promise<void>): void
  /** A worker: the check returns what is wrong with it, or undefined when nothing is. */
  live(name: string, check: () => string | undefined): void
  /** A notice for operators that stops nothing, reported with readiness; the last one of a name counts. */
  note(name: string, sentence: string): void
}

export interface CheckResult {
  readonly name: string
  readonly ok: boolean
  /** What is wrong; '' when nothing is. */
  readonly detail: string
}

export interface HealthReport {
  readonly ok: boolean
  readonly checks: readonly CheckResult[]
}

/** The reports that the process requests of its services. */
export interface HealthChecks extends Health {
  liveness(): HealthReport
  /**
   * Runs all checks in parallel; one that takes longer than `timeout_ms` (2,000) counts as failed.
   */
  readiness(): Promise<HealthReport>
}

export function openHealth({ timeout_ms = 2_000 } = {}): HealthChecks {
  const ready = new Map<string, () => Promise<void>>()
  const live = new Map<string, () => string | undefined>()
  const notes = new Map<string, string>()
  return {
    ready: (name, check) => add(ready, name, check),
    live: (name, check) => add(live, name, check),
    note: (name, sentence) => void notes.set(name, sentence),
    liveness: () => report([...live].map(([name, check]) => liveCheck(name, check))),
    readiness: async () =>
      report([
        ...(await Promise.all(
          [...ready].map(([name, check]) => readyCheck(name, check, timeout_ms)),
        )),
        ...[...notes].map(([name, detail]) => ({ name, ok: true, detail })),
      ]),
  }
}

function add<Check>(checks: Map<string, Check>, name: string, check: Check): void {
  if (checks.has(name)) throw new Error(`there are two health checks of the name ${name}`)
  checks.set(name, check)
}

function report(checks: readonly CheckResult[]): HealthReport {
  return { ok: checks.every(({ ok }) => ok), checks }
}

function liveCheck(name: string, check: () => string | undefined): CheckResult {
  try {
    const detail = check()
    return { name, ok: detail === undefined, detail: detail ?? '' }
  } catch (error) {
    return { name, ok: false, detail: messageOf(error) }
  }
}

async function readyCheck(
  name: string,
  check: () => Promise<void>,
  timeout_ms: number,
): Promise<CheckResult> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    const error = new Error(`no answer within ${timeout_ms} ms`)
    timer = setTimeout(reject, timeout_ms, error)
  })
  try {
    await Promise.race([check(), late])
    return { name, ok: true, detail: '' }
  } catch (error) {
    return { name, ok: false, detail: messageOf(error) }
  } finally {
    clearTimeout(timer)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
