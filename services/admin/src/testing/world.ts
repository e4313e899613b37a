/** The administration API on its real services, and a client that retains the bytes of answers. */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  readSettings,
  type Service,
  type SettingDefinitions,
  type SettingValues,
} from '@causeway/process'
import { ledgerService } from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { operations } from '../routes.ts'
import { start } from '../service.ts'
import { settings } from '../settings.ts'
import { connect } from '../upstream.ts'
import { answerChecker } from './answer-checker.ts'

export interface AdminWorld {
  readonly url: string
  readonly parts: TestParts
  /** Sends the body, as JSON unless it is text already, and reads the answer. */
  readonly call: (
    method: string,
    path: string,
    body?: unknown,
    headers?: object,
  ) => Promise<ApiResponse>
  /** Reserves 1 USD in the ledger without a transfer. */
  reserve(transfer: { transferId: string; payerFsp: string; payeeFsp: string }): Promise<string>
  stop(): Promise<void>
}

export interface ApiResponse {
  readonly status: number
  readonly headers: Headers
  /** Unchanged, so that the digits of numbers can be seen. */
  readonly text: string
  readonly json: unknown
}

type SettingOverrides = Readonly<Record<string, string>>

function valuesOf<Definitions extends SettingDefinitions>(
  definitions: Definitions,
  given: SettingOverrides,
) {
  const known = Object.entries(given).filter(([name]) => Object.hasOwn(definitions, name))
  return readSettings(definitions, {
    sources: [{ origin: 'flag', values: Object.fromEntries(known) }],
    prefixes: [],
  }).values
}

/** A service behind the API, as its package exports it. */
export interface AskedService<Definitions extends SettingDefinitions = SettingDefinitions> {
  readonly settings: Definitions
  start(settings: SettingValues<Definitions>, parts: TestParts): Promise<Service>
}

/** Starts the services in their order, then the administration API. */
export async function openWorld(
  asked: readonly AskedService[],
  changes: SettingOverrides = {},
): Promise<AdminWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-admin-'))
  const given = {
    AUTH_SERVICE_SECRETS_KEY: randomBytes(32).toString('base64url'),
    CONFIG_SECRETS_KEY: randomBytes(32).toString('base64url'),
    AUDIT_SIGNING_KEY_FILE: newSigningKey(folder),
    ...changes,
  }
  const parts = await openTestParts()
  const services: Service[] = []
  for (const service of asked) {
    services.push(await service.start(valuesOf(service.settings, given), parts))
  }
  const values = {
    OPERATOR_PORT: '0',
    OPERATOR_IDENTITY: 'none',
    HUB_HOST: 'hub.example',
    ...given,
  }
  const read = valuesOf(settings, values)
  const admin = await start(read, parts)
  const fourEyes = read.FOUR_EYES === 'required'
  const { bus } = parts
  const publish: typeof bus.publish = (messages) => bus.publish(messages)
  const hold = answerChecker(
    operations({ ...connect(parts.grpc), settings: read, publish, fourEyes }),
    { compatibility: read.COMPATIBILITY, tokens: read.OPERATOR_IDENTITY === 'token' },
  )
  return {
    url: admin.url,
    parts,
    async call(method, path, body, headers = {}) {
      const answer = await call(`${admin.url}${path}`, method, body, headers)
      const { status, json, headers: received } = answer
      hold(method, path, { status, json, headers: received })
      return answer
    },
    async reserve(transfer) {
      const ledger = parts.grpc.client(ledgerService, 'participant-lifecycle')
      const item = {
        ...transfer,
        amount: '1',
        currency: 'USD',
        settles: 'NET',
        isBulkItem: false,
      } as const
      const expiresAt = new Date(Date.now() + 60_000).toISOString()
      const { answers } = await ledger.ProcessTransferPrepare({
        items: [{ ...item, settlementModelId: 1, expiresAt }],
      })
      return answers[0]?.outcome ?? ''
    },
    async stop() {
      await admin.stop()
      for (const service of services.reverse()) await service.stop()
      await parts.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

/** @returns its file */
function newSigningKey(folder: string): string {
  const file = join(folder, 'audit-signing.key')
  const { privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  return file
}

async function call(
  url: string,
  method: string,
  body: unknown,
  headers: object,
): Promise<ApiResponse> {
  const answer = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') ?? false
  const json: unknown = isJson && text !== '' ? JSON.parse(text) : undefined
  return { status: answer.status, headers: answer.headers, text, json }
}
