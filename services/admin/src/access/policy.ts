/**
 * The data of the guard: the keys that verify tokens, the privileges of each role, and revoked
 * tokens. Read at the start, every half minute, and after each change event; a policy older than a
 * few minutes is not used.
 */
import type { EventBus } from '@causeway/bus'
import { onBroadcast } from '@causeway/events'
import type { GrpcHost } from '@causeway/grpc'
import { gather, periodically, type Logger } from '@causeway/process'
import { operatorsService, type AccessPolicy } from '@causeway/protos'
import { createLocalJWKSet, type JSONWebKeySet } from 'jose'

export interface Policy {
  readonly keySet: ReturnType<typeof createLocalJWKSet>
  /** Privileges by role. */
  readonly roles: ReadonlyMap<string, readonly string[]>
}

export interface PolicyParts {
  readonly grpc: GrpcHost
  readonly bus: EventBus
  readonly log: Logger
}

export interface Policies {
  /** Rejects while auth-service does not answer and the last policy is too old. */
  current(): Promise<Policy>
  /** Reads the current policy, after a change by this caller. */
  renew(): Promise<Policy>
  /** @param ids the session and the subject of a token, `version` the version of its subject */
  isInvalidated(ids: readonly string[], version: number): boolean
  stop(): Promise<void>
}

const changes = ['AuthTokenInvalidated', 'PlatformRoleChanged'] as const
const renewed_ms = 30_000
const age_max_ms = 300_000
const questions_max = 10_000

export async function openPolicies({ grpc, bus, log }: PolicyParts): Promise<Policies> {
  const { GetAccessPolicy } = grpc.client(operatorsService, 'auth-service')
  const denied = openDenyList()
  let known: { readonly policy: Policy; readonly at_ms: number } | undefined

  function take(answer: AccessPolicy): Policy {
    for (const { tokenId, versionsBelow, expiry } of answer.invalidated) {
      denied.add(tokenId, versionsBelow, expiry)
    }
    const now_ms = Date.now()
    denied.forget(now_ms)
    const policy = {
      keySet: createLocalJWKSet(JSON.parse(answer.jwksJson) as JSONWebKeySet),
      roles: new Map(answer.roles.map(({ id, privileges }) => [id, privileges])),
    }
    known = { policy, at_ms: now_ms }
    return policy
  }

  /** Concurrent callers share one read that begins after each of their calls. */
  const ask = gather<undefined, Policy>(
    async (questions) => {
      const policy = take(await GetAccessPolicy({}))
      return questions.map(() => policy)
    },
    { batch_max: questions_max },
  )

  async function renew(): Promise<Policy> {
    const [policy] = await ask([undefined])
    if (policy === undefined) throw new Error('auth-service answered without a policy')
    return policy
  }

  function renewSoon(): void {
    renew().catch((error: unknown) => log.warn({ err: error }, 'the policy could not be renewed'))
  }

  const listener = await onBroadcast(bus, 'admin', changes, {
    onEvents(events) {
      for (const { name, payload } of events) {
        if (name === 'PlatformRoleChanged') renewSoon()
        else denied.add(payload.tokenId, payload.versionsBelow ?? 0, payload.expiry)
      }
    },
    onMissed: renewSoon,
  })
  const renewal = periodically(
    renewed_ms,
    async () => {
      await renew()
    },
    { log, name: 'renewal of the operator policy' },
  )
  return {
    async current() {
      const isFresh = known !== undefined && Date.now() - known.at_ms < age_max_ms
      return isFresh && known !== undefined ? known.policy : renew()
    },
    renew,
    isInvalidated: (ids, version) => ids.some((id) => denied.has(id, version)),
    async stop() {
      await renewal.stop()
      await listener.stop()
    },
  }
}

/** Revokes all tokens of a session, or those of an operator below a version, until they expire. */
function openDenyList() {
  const denied = new Map<string, { readonly below: number; readonly until_ms: number }>()
  return {
    add(tokenId: string, below: number, expiry: string): void {
      const before = denied.get(tokenId)
      const until_ms = Math.max(Date.parse(expiry), before?.until_ms ?? 0)
      denied.set(tokenId, { below: Math.max(below, before?.below ?? 0), until_ms })
    },
    has(id: string, version: number): boolean {
      const found = denied.get(id)
      return found !== undefined && (found.below === 0 || version < found.below)
    },
    forget(now_ms: number): void {
      for (const [id, { until_ms }] of denied) if (until_ms < now_ms) denied.delete(id)
    },
  }
}
