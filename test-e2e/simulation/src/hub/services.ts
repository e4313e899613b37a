/** The services that take part, in the order in which they start: those that others call come first. */
// The hub loads these with the first FIDO credential, which takes a time that no seed decides.
import '@simplewebauthn/server/helpers'
import * as accountLookup from '@causeway/account-lookup'
import * as admin from '@causeway/admin'
import * as audit from '@causeway/audit'
import * as authService from '@causeway/auth-service'
import * as config from '@causeway/config'
import * as fspiopApi from '@causeway/fspiop-api'
import * as notifications from '@causeway/notifications'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { defaultsOf } from '@causeway/process/testing'
import * as quoting from '@causeway/quoting'
import type { ProcessParts } from '@causeway/runtime'
import * as scheduler from '@causeway/scheduler'
import * as settlements from '@causeway/settlements'
import * as transfers from '@causeway/transfers'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cache } from '../cache.ts'
import { ed25519Of } from '../virtual/keys.ts'
import { now_ms, since_ms } from '../virtual/world.ts'

export interface Running {
  stop(): Promise<void>
}

const services = {
  config,
  participantLifecycle,
  authService,
  scheduler,
  audit,
  settlements,
  accountLookup,
  quoting,
  transfers,
  notifications,
  fspiopApi,
  admin,
}

/** The service reads its key from a file; runs beside each other write the same one. */
function keyFile(name: string, seed: Buffer): string {
  mkdirSync(cache, { recursive: true })
  const path = join(cache, name)
  const unfinished = `${path}.${process.pid}`
  writeFileSync(unfinished, ed25519Of(seed).export({ type: 'pkcs8', format: 'pem' }))
  renameSync(unfinished, path)
  return path
}

/** Neither connections with TLS nor signed messages between FSPs and the hub. */
const openDoors = {
  EDGE_IDENTITY: 'header',
  EDGE_TLS: 'off',
  JWS_VERIFY: 'off',
  JWS_SIGN: 'off',
  EGRESS_LOOPBACK: 'allowed',
  OPERATOR_IDENTITY: 'none',
  /** Otherwise replicas would wait for a second operator. */
  FOUR_EYES: 'optional',
  ACCEPT_RELAXATIONS: 'FOUR_EYES=optional',
  /** Longer than any fault, so that a request of a PISP must arrive. */
  FSPIOP_API_QUESTION_RETRY_MS: 60_000,
  /** Bulks come without a bulk quote. */
  TRANSFERS_CHECK_BULK_QUOTES: 'off',
  MESSAGE_ENCRYPTION: 'on',
  CONFIG_SECRETS_KEY: Buffer.alloc(32, 7).toString('base64url'),
  AUTH_SERVICE_SECRETS_KEY: Buffer.alloc(32, 9).toString('base64url'),
  AUDIT_SECRETS_KEY: Buffer.alloc(32, 13).toString('base64url'),
  AUDIT_SIGNING_KEY_FILE: keyFile('audit-key.pem', Buffer.alloc(32, 15)),
} as const

/** Of what no history has anything, so that an idle hub does not look for it every second. */
const seldom = {
  SCHEDULER_POLL_MS: 60_000,
  QUOTING_RULES_INTERVAL_MS: 60_000,
} as const

const settings = {
  ...defaultsOf(config.settings),
  ...defaultsOf(participantLifecycle.settings),
  ...defaultsOf(authService.settings),
  ...defaultsOf(scheduler.settings),
  ...defaultsOf(audit.settings),
  ...defaultsOf(settlements.settings),
  ...defaultsOf(transfers.settings),
  ...defaultsOf(accountLookup.settings),
  ...defaultsOf(quoting.settings),
  ...defaultsOf(notifications.settings),
  ...defaultsOf(fspiopApi.settings),
  ...defaultsOf(admin.settings),
  ...openDoors,
  ...seldom,
}

/** The auth service of the hub, as a participant. */
export const authServiceName = settings.AUTH_SERVICE_PARTICIPANT
/** The hub, where it speaks for itself. */
export const hubName = settings.HUB_NAME

/** How long until the hub looks for what has expired, and finds this. */
export function sweptAfter_ms(expires_ms: number): number {
  const every_ms = settings.SWEEP_INTERVAL_MS
  const due_ms = Math.max(0, expires_ms + settings.EXPIRY_GRACE_MS - now_ms())
  return due_ms + every_ms - ((since_ms() + due_ms) % every_ms)
}

/** When the hub ends a transfer, at the latest, with nothing left to process. */
export const final_ms = settings.EXPIRY_GRACE_MS + settings.SWEEP_INTERVAL_MS

export async function startServices(parts: ProcessParts): Promise<readonly Running[]> {
  const running: Running[] = []
  for (const { start } of Object.values(services)) running.push(await start(settings, parts))
  return running
}
