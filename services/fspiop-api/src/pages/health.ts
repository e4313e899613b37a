/**
 * `GET /health` on the FSP port: whether the dependencies of the edge answer. Anybody may ask: however
 * many do, there is one look at a time, and its result serves for a second.
 */
import { recent } from '@causeway/process'

export interface HealthReport {
  readonly status: 'OK' | 'DOWN'
  readonly services: readonly { readonly name: string; readonly status: 'OK' | 'DOWN' }[]
}

export type HealthPage = () => Promise<HealthReport>

type Check = () => Promise<unknown>

const answer_ms_max = 2_000
const fresh_ms = 1_000

export function openHealthPage(checks: Readonly<Record<string, Check>>): HealthPage {
  return recent(() => look(checks), fresh_ms)
}

async function look(checks: Readonly<Record<string, Check>>): Promise<HealthReport> {
  const services = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => ({ name, status: await statusOf(check) })),
  )
  const isWell = services.every(({ status }) => status === 'OK')
  return { status: isWell ? 'OK' : 'DOWN', services }
}

function statusOf(check: Check): Promise<'OK' | 'DOWN'> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('DOWN'), answer_ms_max)
    const end = (status: 'OK' | 'DOWN') => {
      clearTimeout(timer)
      resolve(status)
    }
    check().then(
      () => end('OK'),
      () => end('DOWN'),
    )
  })
}
