/** config with auth-service, two components with keys, and all published messages. */
import { randomBytes } from 'node:crypto'
import { approvalCalls, type ApprovalCalls } from '@causeway/approvals/testing'
import { signRequest, type SignedHeaders } from '@causeway/keys/components'
import { makeComponentKey, type TestComponentKey } from '@causeway/keys/components/testing'
import { onEvents, type Payload } from '@causeway/events'
import type { Calls } from '@causeway/grpc'
import {
  readSettings,
  type Service,
  type SettingDefinitions,
  type SettingValues,
} from '@causeway/process'
import { componentKeysService, secretsService, type ApprovalAnswer } from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { start } from '../../service.ts'
import { settings } from '../../settings.ts'

/** auth-service, as its package exports it. */
export interface AskedService<Definitions extends SettingDefinitions = SettingDefinitions> {
  readonly settings: Definitions
  start(settings: SettingValues<Definitions>, parts: TestParts): Promise<Service>
}

/** Null: the secret is removed. */
export type SecretsByName = Readonly<Record<string, string | null>>

export interface SecretsWorld {
  readonly parts: TestParts
  readonly secrets: Calls<typeof secretsService>
  readonly approvals: ApprovalCalls
  readonly registry: Calls<typeof componentKeysService>
  readonly keys: Readonly<Record<'pricing' | 'reports', TestComponentKey>>
  readonly changed: readonly Payload<'SecretsValuesChanged'>[]
  readonly audited: readonly Payload<'/audit-log-write'>[]
  register(boundedContextId: string, ...names: readonly string[]): Promise<void>
  /** By ada. */
  request(boundedContextId: string, values: SecretsByName): Promise<string>
  /** By grace. */
  decide(requestId: string, verdict?: 'APPROVE' | 'REJECT'): Promise<ApprovalAnswer>
  /** Both. */
  set(boundedContextId: string, values: SecretsByName): Promise<void>
  signed(signer: 'pricing' | 'reports', of?: string, at?: Date): SignedHeaders
  read(
    boundedContextId: string,
    request: SignedHeaders,
  ): ReturnType<Calls<typeof secretsService>['ReadSecretValues']>
  /** Kills the processes and starts them again on the same database, config with these keys. */
  restart(secretsKey: string): Promise<SecretsWorld>
  stop(): Promise<void>
}

export function newSecretsKey(): string {
  return randomBytes(32).toString('base64url')
}

export function secretsChange(boundedContextId: string, values: SecretsByName) {
  const newValues = Object.entries(values).map(([name, value]) => ({ name, value }))
  return { boundedContextId, newValues }
}

function valuesOf<Definitions extends SettingDefinitions>(
  definitions: Definitions,
  given: Readonly<Record<string, string>>,
): SettingValues<Definitions> {
  const sources = [{ origin: 'flag', values: given }] as const
  return readSettings(definitions, { sources, prefixes: [] }).values
}

export async function openWorld(
  authService: AskedService,
  secretsKey = newSecretsKey(),
): Promise<SecretsWorld> {
  const keys = { pricing: await makeComponentKey(), reports: await makeComponentKey() }
  const authKey = newSecretsKey()
  return openOn(await openTestParts(), { authService, keys, authKey }, secretsKey)
}

interface Lasting extends Pick<SecretsWorld, 'keys'> {
  readonly authService: AskedService
  readonly authKey: string
}

/** `lasting`: what a restart leaves as it is. */
async function openOn(
  parts: TestParts,
  lasting: Lasting,
  secretsKey: string,
): Promise<SecretsWorld> {
  const { authService, keys, authKey } = lasting
  const { grpc, bus } = parts
  const ofAuth = valuesOf(authService.settings, { AUTH_SERVICE_SECRETS_KEY: authKey })
  const auth = await authService.start(ofAuth, parts)
  const service = await start(valuesOf(settings, { CONFIG_SECRETS_KEY: secretsKey }), parts)
  const registry = grpc.client(componentKeysService, 'auth-service')
  for (const [name, { key: own }] of Object.entries(keys)) {
    const words = { boundedContextId: name, publicKey: own.publicKey, actor: name }
    const { refusal } = await registry.RegisterComponentKey(words)
    if (refusal) throw new Error(refusal.detail)
  }
  const changed: Payload<'SecretsValuesChanged'>[] = []
  const audited: Payload<'/audit-log-write'>[] = []
  await onEvents(bus, 'test_secrets', ['SecretsValuesChanged'], (events) => {
    changed.push(...events.map(({ payload }) => payload))
    return Promise.resolve()
  })
  await onEvents(bus, 'test_audit', ['/audit-log-write'], (events) => {
    const own = events.filter(({ payload }) => payload.subject.startsWith('secrets/'))
    audited.push(...own.map(({ payload }) => payload))
    return Promise.resolve()
  })
  const secrets = grpc.client(secretsService, 'config')
  const approvals = approvalCalls(grpc, 'config')
  const world: SecretsWorld = {
    parts,
    secrets,
    approvals,
    registry,
    keys,
    changed,
    audited,
    async register(boundedContextId, ...names) {
      const named = names.map((name) => ({ name, description: `of ${name}`, required: false }))
      const { refusal } = await secrets.RegisterSecrets({
        boundedContextId,
        version: '1.0.0',
        iterationNumber: 0,
        keys: named.map((each) => ({ ...each, isSet: false })),
      })
      if (refusal) throw new Error(refusal.detail)
    },
    async request(boundedContextId, values) {
      const asked = secretsChange(boundedContextId, values)
      const { approval, refusal } = await approvals.request('SecretValues', asked)
      if (!approval) throw new Error(refusal?.reason)
      return approval.requestId
    },
    decide: (requestId, verdict = 'APPROVE') =>
      approvals.decide('SecretValues', requestId, { verdict }),
    async set(boundedContextId, values) {
      const { refusal } = await world.decide(await world.request(boundedContextId, values))
      if (refusal) throw new Error(refusal.detail)
    },
    signed(signer, of = signer, at = new Date()) {
      const asked = { method: 'GET', path: `/config/secrets/${of}/values` }
      return signRequest(keys[signer].key, signer, asked, at)
    },
    read: (boundedContextId, request) => secrets.ReadSecretValues({ boundedContextId, ...request }),
    async restart(again) {
      const fresh = await parts.restart()
      await Promise.allSettled([service.stop(), auth.stop()])
      return openOn(fresh, lasting, again)
    },
    async stop() {
      await service.stop()
      await auth.stop()
      await parts.stop()
      for (const each of Object.values(keys)) each.remove()
    },
  }
  return world
}
