/** GET /health: whether the services that the administration API calls answer. */
import { answered } from './answer.ts'
import { z } from 'zod'
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

export function healthOperations(deps: Deps): readonly Operation[] {
  return (['/health', '/v2/health'] as const).map((path) =>
    reads(path, health, async () => {
      const services = await Promise.all(
        Object.entries(questions).map(async ([name, ask]) => ({
          name,
          status: await ask(deps).then(
            () => 'OK',
            () => 'DOWN',
          ),
        })),
      )
      const ok = services.every(({ status }) => status === 'OK')
      return answered(ok ? 200 : 503, { status: ok ? 'OK' : 'DOWN', services })
    }),
  )
}
