/** The services that take part, in the order in which they start: those that others call come first. */
import * as accountLookup from '@causeway/account-lookup'
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
import { now_ms, since_ms } from '../virtual/world.ts'

export interface Running {
  stop(): Promise<void>
}

const services = {
  config,
  participantLifecycle,
  scheduler,
  settlements,
  accountLookup,
  quoting,
  transfers,
  notifications,
  fspiopApi,
}

/** Neither certificates nor signatures: what they are made of is no part of a seed. */
const openDoors = {
  EDGE_IDENTITY: 'header',
  EDGE_TLS: 'off',
  JWS_VERIFY: 'off',
  JWS_SIGN: 'off',
  EGRESS_LOOPBACK: 'allowed',
  /** Bulks come without a bulk quote. */
  TRANSFERS_CHECK_BULK_QUOTES: 'off',
  CONFIG_SECRETS_KEY: Buffer.alloc(32, 7).toString('base64url'),
} as const

/** Of what no history has anything, so that an idle hub does not look for it every second. */
const seldom = {
  SCHEDULER_POLL_MS: 60_000,
  QUOTING_RULES_INTERVAL_MS: 60_000,
} as const

const settings = {
  ...defaultsOf(config.settings),
  ...defaultsOf(participantLifecycle.settings),
  ...defaultsOf(scheduler.settings),
  ...defaultsOf(settlements.settings),
  ...defaultsOf(transfers.settings),
  ...defaultsOf(accountLookup.settings),
  ...defaultsOf(quoting.settings),
  ...defaultsOf(notifications.settings),
  ...defaultsOf(fspiopApi.settings),
  ...openDoors,
  ...seldom,
}

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
