/** audit with auth-service, where components register their keys. */
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signedEntries } from '@causeway/keys/components'
import type { TestComponentKey } from '@causeway/keys/components/testing'
import { auditEntry, type AuditedAction } from '@causeway/events'
import type { Calls } from '@causeway/grpc'
import {
  readSettings,
  type Service,
  type SettingDefinitions,
  type SettingValues,
} from '@causeway/process'
import {
  auditQuarantineService,
  auditService,
  componentKeysService,
  type AuditEntry,
} from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import type { AuditBounds } from '../bounds.ts'
import { start } from '../service.ts'
import { settings } from '../settings.ts'

/** auth-service, as its package exports it. */
export interface AskedService<Definitions extends SettingDefinitions = SettingDefinitions> {
  readonly settings: Definitions
  start(settings: SettingValues<Definitions>, parts: TestParts): Promise<Service>
}

type Source = Parameters<typeof auditEntry>[0]

export interface AuditWorld {
  readonly parts: TestParts
  readonly audit: Calls<typeof auditService>
  readonly quarantine: Calls<typeof auditQuarantineService>
  register(boundedContextId: string, component: TestComponentKey): Promise<void>
  /** Publishes an entry that this key signs; undefined: unsigned. Returns its id. */
  publish(
    source: Source,
    component: TestComponentKey | undefined,
    changes?: Partial<AuditedAction>,
  ): Promise<string>
  /** The newest entries, at most 500. */
  entries(): Promise<readonly AuditEntry[]>
  stop(): Promise<void>
}

export function valuesOf<Definitions extends SettingDefinitions>(
  definitions: Definitions,
  given: Readonly<Record<string, string>>,
): SettingValues<Definitions> {
  const sources = [{ origin: 'flag', values: given }] as const
  return readSettings(definitions, { sources, prefixes: [] }).values
}

const newSecretsKey = () => randomBytes(32).toString('base64url')

function writeSigningKey(file: string): void {
  const { privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }))
}

/** The same at each start: it encrypts what is stored. */
const authKey = newSecretsKey()

export function startAuthService(service: AskedService, parts: TestParts): Promise<Service> {
  const values = valuesOf(service.settings, { AUTH_SERVICE_SECRETS_KEY: authKey })
  return service.start(values, parts)
}

export const everything = { limit: 500 }

export async function openWorld(
  authService: AskedService,
  changes: Readonly<Record<string, string>> = {},
  bounds?: AuditBounds,
): Promise<AuditWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-audit-'))
  const keyFile = join(folder, 'signing.key')
  writeSigningKey(keyFile)
  const parts = await openTestParts()
  const auth = await startAuthService(authService, parts)
  const own = { AUDIT_SIGNING_KEY_FILE: keyFile, AUDIT_SECRETS_KEY: newSecretsKey(), ...changes }
  const service = await start(valuesOf(settings, own), parts, bounds)
  const registry = parts.grpc.client(componentKeysService, 'auth-service')
  const audit = parts.grpc.client(auditService, 'audit')
  return {
    parts,
    audit,
    quarantine: parts.grpc.client(auditQuarantineService, 'audit'),
    async register(boundedContextId, { key: { publicKey } }) {
      const { refusal } = await registry.RegisterComponentKey({ boundedContextId, publicKey })
      if (refusal) throw new Error(refusal.detail)
    },
    async publish(source, component, action = {}) {
      const id = action.id ?? randomUUID()
      const usual = { actor: 'ada', action: 'Act', subject: 'a', before: null, after: null }
      const entry = auditEntry(source, { ...usual, at: new Date(), id, ...action })
      await signedEntries(parts.bus, { key: component?.key }).publish([entry])
      return id
    },
    async entries() {
      return (await audit.ListAuditEntries(everything)).entries
    },
    async stop() {
      await service.stop()
      await auth.stop()
      await parts.stop()
      rmSync(folder, { recursive: true })
    },
  }
}
