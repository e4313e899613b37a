/** auth-service by itself, with the calls of cryptography and all audit entries. */
import { approvalCalls, type ApprovalCalls } from '@causeway/approvals/testing'
import { onEvents, type Payload } from '@causeway/events'
import type { Calls } from '@causeway/grpc'
import {
  cryptographyService,
  keyManagementService,
  present,
  type KeyDefinitionType,
  type KeyDefinitionUsage,
  type Refusal,
} from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { CompactEncrypt } from 'jose'
import { createPublicKey, randomUUID } from 'node:crypto'
import { usualBounds, type AuthBounds } from '../../bounds.ts'
import { start } from '../../service.ts'
import { authSettings, type SettingOverrides } from '../../testing/world.ts'

export interface CryptographyWorld {
  readonly parts: TestParts
  readonly calls: Calls<typeof cryptographyService>
  readonly keys: Calls<typeof keyManagementService>
  readonly approvals: ApprovalCalls
  readonly audited: readonly Payload<'/audit-log-write'>[]
  /** Defines a key and generates it. @returns its id */
  newKey(usage: KeyDefinitionUsage, type: KeyDefinitionType, validTo?: string): Promise<string>
  /** Loads a key of another party, as that party would send it. @returns its id */
  load(usage: KeyDefinitionUsage, type: KeyDefinitionType, plain: Buffer): Promise<string>
  /** Ends auth-service and starts it again with other settings. */
  restart(given: SettingOverrides): Promise<CryptographyWorld>
  stop(): Promise<void>
}

export const actor = 'ada'

export async function openWorld(
  given: SettingOverrides = {},
  bounds: Partial<AuthBounds> = {},
): Promise<CryptographyWorld> {
  return openOn(await openTestParts(), given, bounds)
}

async function openOn(
  parts: TestParts,
  given: SettingOverrides,
  bounds: Partial<AuthBounds> = {},
): Promise<CryptographyWorld> {
  const service = await start(authSettings(given), parts, { ...usualBounds, ...bounds })
  const audited: Payload<'/audit-log-write'>[] = []
  await onEvents(parts.bus, 'test', ['/audit-log-write'], (events) => {
    audited.push(...events.map(({ payload }) => payload))
    return Promise.resolve()
  })
  const keys = parts.grpc.client(keyManagementService, 'auth-service')
  const newKey: CryptographyWorld['newKey'] = async (usage, type, validTo) => {
    const keyDefinitionId = await define(keys, usage, type, validTo)
    const request = { requestId: randomUUID(), keyDefinitionId, actor }
    const { key, refusal } =
      type === 'EC'
        ? await keys.GenerateEccKey({ ...request, curve: 'P-256' })
        : await keys.GenerateAesKey({ ...request, bits: 256 })
    if (!key) throw new Error(refusal?.detail)
    return key.keyId
  }
  return {
    parts,
    calls: parts.grpc.client(cryptographyService, 'auth-service'),
    keys,
    approvals: approvalCalls(parts.grpc, 'auth-service'),
    audited,
    newKey,
    async load(usage, type, plain) {
      const wrappingKeyId = await newKey('WRAP', 'EC')
      const pem = (await keys.ListKeys({})).keys.find(({ keyId }) => keyId === wrappingKeyId)
      const wrappedKey = await new CompactEncrypt(plain)
        .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM' })
        .encrypt(createPublicKey(pem?.publicKey ?? ''))
      const keyDefinitionId = await define(keys, usage, type)
      const request = { requestId: randomUUID(), keyDefinitionId, wrappedKey, wrappingKeyId, actor }
      const { key, refusal } = await keys.LoadKey(request)
      if (!key) throw new Error(refusal?.detail)
      return key.keyId
    },
    async restart(changed) {
      await service.stop()
      return openOn(await parts.restart(), changed)
    },
    async stop() {
      await service.stop()
      await parts.stop()
    },
  }
}

/** @returns the id of the definition */
export async function define(
  keys: Calls<typeof keyManagementService>,
  usage: KeyDefinitionUsage,
  type: KeyDefinitionType,
  validTo?: string,
): Promise<string> {
  const { definition, refusal } = await keys.DefineKey({
    requestId: randomUUID(),
    label: `${type} ${usage}`,
    usage,
    type,
    ...present({ validTo }),
    actor,
  })
  if (!definition) throw new Error(refusal?.detail)
  return definition.keyDefinitionId
}

/** Requested by one person and approved by another one. */
export async function chooseAdapter(
  { approvals }: CryptographyWorld,
  adapter: string,
): Promise<void> {
  const { approval, refusal } = await approvals.make('CryptoAdapter', { adapter })
  if (approval?.state !== 'APPROVED') throw new Error(refusal?.detail)
}

/** 'done', or the reason for the refusal. */
export function outcomeOf({ refusal }: { readonly refusal?: Refusal | null }): string {
  return refusal?.reason ?? 'done'
}
