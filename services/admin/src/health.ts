/** GET /health: whether the services that the administration API calls answer. */
import { answered } from './answer.ts'
import { z } from 'zod'
import { reads, type About, type Operation } from './operation.ts'
import type { Deps, Upstream } from './upstream.ts'

const options = { deadline_ms: 1_000 }

const newestEntry = {
  source: '',
  action: '',
  actor: '',
  subject: '',
  labelKey: '',
  labelValue: '',
  from: '',
  to: '',
  beforeN: '',
  limit: 1,
}

/** The cheapest call of each service. */
const questions: Readonly<Record<string, (upstream: Upstream) => Promise<unknown>>> = {
  'participant-lifecycle': ({ participants }) =>
    participants.GetParticipantInfo({ names: [''] }, options),
  settlements: ({ models }) => models.GetSettlementModels({ currency: '', name: '-' }, options),
  quoting: ({ rules }) => rules.GetSchemeRules({}, options),
  transfers: ({ transfers }) => transfers.GetTransferStates({ ids: [] }, options),
  'auth-service': ({ pings }) => pings.GetLastPings({ names: [] }, options),
  'account-lookup': ({ oracles }) =>
    oracles.ListOracles({ oracleIdType: 'PERSONAL_ID', currency: 'XXX' }, options),
  notifications: ({ notifications }) =>
    notifications.ListDeadLetters({ fspId: '', limit: 0 }, options),
  scheduler: ({ scheduler }) => scheduler.ListScheduleReminders({ owner: '-', state: '' }, options),
  audit: ({ audit }) => audit.ListAuditEntries(newestEntry, options),
  config: ({ configurations }) =>
    configurations.GetConfiguration({ boundedContextId: '-' }, options),
}

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
