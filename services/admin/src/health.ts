/**
 * GET /health: whether the services that the administration API calls answer. Anybody may ask: however
 * many do, there is one look at a time, and its result serves for a second.
 */
import { recent } from '@causeway/process'
import { z } from 'zod'
import { answered } from './answer.ts'
import { reads, type About, type Operation } from './operation.ts'
import { questions, type Deps } from './upstream.ts'

const shownHealth = z.strictObject({
  status: z.enum(['OK', 'DOWN']),
  services: z.array(z.strictObject({ name: z.string(), status: z.enum(['OK', 'DOWN']) })),
})

const health: About = {
  about: 'Whether the services behind the operator port answer; 503 when one does not',
  answers: { 200: shownHealth, 503: shownHealth },
}

const fresh_ms = 1_000

export function healthOperations(deps: Deps): readonly Operation[] {
  const looked = recent(() => look(deps), fresh_ms)
  return (['/health', '/v2/health'] as const).map((path) =>
    reads(path, health, async () => {
      const services = await looked()
      const ok = services.every(({ status }) => status === 'OK')
      return answered(ok ? 200 : 503, { status: ok ? 'OK' : 'DOWN', services })
    }),
  )
}

function look(deps: Deps) {
  return Promise.all(
    Object.entries(questions).map(async ([name, ask]) => ({
      name,
      status: await ask(deps).then(
        () => 'OK' as const,
        () => 'DOWN' as const,
      ),
    })),
  )
}
