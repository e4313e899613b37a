/** Starts auth-service: parts are opened in reading order and closed in reverse. */
import { readOwnKey, signedEntries } from '@causeway/component-keys'
import { openHsm, openSeal, type Seal } from '@causeway/crypto-provider'
import { onEvents } from '@causeway/events'
import { statement, type Database } from '@causeway/postgres'
import { periodically, type Logger, type Periodic, type Service } from '@causeway/process'
import {
  componentKeysService,
  consentsService,
  credentialsService,
  keysService,
  pingsService,
  requestKeysService,
  thirdPartyTransactionsService,
} from '@causeway/protos'
import type { ProcessParts, Start } from '@causeway/runtime'
import { endCredentialsOfClosed } from './closed.ts'
import { registerOwnKey, serveComponentKeys } from './component-keys/serve.ts'
import { openConsents, type ConsentParts } from './consents/open.ts'
import { policyOf } from './consents/policy.ts'
import { serveConsents } from './consents/serve.ts'
import { openCa } from './credentials/certificates.ts'
import { openGuesses } from './credentials/guesses.ts'
import { serveCredentials } from './credentials/serve.ts'
import { openTokenKeys, type TokenKeys } from './credentials/token-keys.ts'
import { openAdapters } from './cryptography/adapters.ts'
import { openCryptography } from './cryptography/open.ts'
import { openErasures } from './erasures/open.ts'
import { openFsps } from './fsps.ts'
import { serveKeys } from './keys/serve.ts'
import { openMeasures } from './measures.ts'
import { deleteAttempts } from './operators/attempt-store.ts'
import { deleteOidcLogIns } from './oidc/store.ts'
import { openOperators } from './operators/open.ts'
import { deleteExpired } from './operators/session-store.ts'
import { pingEvents, openPingHandle } from './pings/handle.ts'
import { servePings } from './pings/serve.ts'
import { deletePings } from './pings/store.ts'
import { mailOperators } from './mails/handle.ts'
import { openRequestKey } from './request-keys/open.ts'
import type { Settings } from './settings.ts'
import { openThirdParties } from './third-party/open.ts'
import { serveThirdParties } from './third-party/serve.ts'
import { openWarnings, warningDaysIn } from './warnings/open.ts'

const day_ms = 86_400_000
const forget_every_ms = 3_600_000
const rotation_interval_ms = 3_600_000
const alive = statement('select 1')

/**
 * Serves only queries of consents and third-party transactions: consumes no event and decides
 * nothing.
 */
export const startReads: Start<Settings> = async (settings, parts) => {
  const db = await openOwnDatabase(settings, parts)
  const { bus, grpc } = parts
  const participant = settings.AUTH_SERVICE_PARTICIPANT
  grpc.serve(consentsService, serveConsents({ db, bus, now: () => new Date() }))
  grpc.serve(thirdPartyTransactionsService, serveThirdParties({ db, participant }))
  return { stop: () => db.close() }
}

export const start: Start<Settings> = async (settings, parts) => {
  const log = parts.log.child({ service: 'auth-service' })
  const token = await openHsm(settings)
  const seal = openSeal('AUTH_SERVICE_SECRETS_KEY', settings.AUTH_SERVICE_SECRETS_KEY, token)
  const readCa = await openCa(settings)
  const policy = policyOf(settings)
  const days = warningDaysIn(settings.AUTH_SERVICE_ENDING_WARNINGS_D)
  const keyFile = settings.AUTH_SERVICE_COMPONENT_KEY_FILE
  const ownKey = await readOwnKey('auth-service', keyFile)
  const db = await openOwnDatabase(settings, parts)
  const { grpc } = parts
  const key = await closeOnFailure(db, registerOwnKey({ db, bus: parts.bus }, ownKey, log))
  const bus = signedEntries(parts.bus, { key })
  const measures = openMeasures(parts.metrics)
  const findFsp = openFsps(parts.grpc)
  const providers = openAdapters({ seal, token, initial: settings.CRYPTO_PROVIDER })
  const tokenKeyLife_ms = settings.AUTH_SERVICE_TOKEN_KEY_LIFE_D * day_ms
  const tokenKeys = openTokenKeys({ db, seal, providers, life_ms: tokenKeyLife_ms })
  await closeOnFailure(db, openStoredKeys(tokenKeys))
  const operators = await closeOnFailure(
    db,
    openOperators(settings, { bus, grpc, db, tokenKeys, measures, log }),
  )
  const keyParts = { bus, grpc, db, seal, providers, readCa, log }
  const cryptography = await closeOnFailure(db, openCryptography(settings, keyParts))
  await closeOnFailure(db, openErasures(settings, keyParts))

  const guesses = openGuesses({ wrong_max: settings.AUTH_SERVICE_WRONG_SECRETS_MAX })
  const sharing = parts.shared.shareUse('auth-service/wrong-secrets', guesses.shared)
  // Before those of components: who asks tells a start from an earlier release by that.
  const rotation = await closeOnFailure(db, serveRequestKey(grpc, db, { seal, log }))
  grpc.serve(componentKeysService, serveComponentKeys({ db, bus }))
  grpc.serve(keysService, serveKeys({ db, bus, findFsp }))
  const credentials = { db, bus, findFsp, tokenKeys, readCa, measures, guesses }
  grpc.serve(credentialsService, serveCredentials({ ...credentials, ...termsIn(settings) }))
  parts.grpc.serve(pingsService, servePings(db))
  parts.grpc.serve(consentsService, serveConsents({ db, bus, now: () => new Date() }))
  const stopping = new AbortController()
  const closing = await endCredentialsOfClosed({ db, bus, grpc, log, signal: stopping.signal })
  const onStored = ({ identity }: { readonly identity: string }) => measures.ping(identity)
  const handlePings = openPingHandle({ db, bus, onStored })
  const subscribed = await onEvents(bus, 'auth_service', pingEvents, (events) =>
    handlePings(events),
  )
  const mailing = await mailOperators({ bus, db, hubName: settings.HUB_NAME, log })
  const warnings = await openWarnings({ bus, grpc }, { db, log, measures, days })
  const thirdPartyApi = await openThirdPartyApi(settings, { bus, grpc, db, policy, measures, log })
  const forgetting = deleteOldRecords(db, log, settings)
  parts.health.ready('auth-service database', async () => {
    await db.query(alive, [])
  })

  return {
    async stop() {
      stopping.abort()
      for (const part of [rotation, closing, subscribed, mailing, warnings]) await part.stop()
      await thirdPartyApi.stop()
      await forgetting.stop()
      await operators.stop()
      sharing.stop()
      await cryptography.stop()
      await db.close()
      token?.close()
    },
  }
}

async function serveRequestKey(
  grpc: ProcessParts['grpc'],
  db: Database,
  { seal, log }: { readonly seal: Seal; readonly log: Logger },
): Promise<Periodic> {
  const { handlers, rotate } = await openRequestKey(db, seal)
  grpc.serve(requestKeysService, handlers)
  const name = 'rotation of the key for payment requests'
  return periodically(rotation_interval_ms, () => rotate(), { log, name })
}

/** What credentials say, and how long they are valid. */
function termsIn(settings: Settings) {
  return {
    hubName: settings.HUB_NAME,
    life_s: settings.AUTH_SERVICE_TOKEN_LIFE_S,
    life_ms: settings.AUTH_SERVICE_CERTIFICATE_LIFE_D * day_ms,
  }
}

function openOwnDatabase(settings: Settings, parts: ProcessParts): Promise<Database> {
  return parts.openDatabase({
    url: settings.AUTH_SERVICE_DATABASE_URL,
    schema: 'auth_service',
    migrations: new URL('../migrations/', import.meta.url),
    connections_max: settings.AUTH_SERVICE_CONNECTIONS,
  })
}

async function openThirdPartyApi(
  settings: Settings,
  parts: ConsentParts & Pick<ProcessParts, 'grpc'>,
): Promise<Service> {
  const consents = await openConsents(settings, parts)
  const participant = settings.AUTH_SERVICE_PARTICIPANT
  const transactions = await openThirdParties({ ...parts, participant })
  return {
    async stop() {
      await Promise.all([consents.stop(), transactions.stop()])
    },
  }
}

function deleteOldRecords(
  db: Database,
  log: Logger,
  { AUTH_SERVICE_PING_RETENTION_D, AUTH_SERVICE_LOCK_S }: Settings,
): Periodic {
  return periodically(
    forget_every_ms,
    async () => {
      const now = new Date()
      const before = (ago_ms: number) => new Date(now.getTime() - ago_ms)
      await deletePings(db, before(AUTH_SERVICE_PING_RETENTION_D * day_ms))
      await deleteExpired(db, now)
      await deleteOidcLogIns(db, now)
      await deleteAttempts(db, now, before(AUTH_SERVICE_LOCK_S * 1_000))
    },
    { log, name: 'deletion of old pings and sessions' },
  )
}

/** A key that the seal cannot open fails the start, before anything is served. */
async function openStoredKeys(tokenKeys: TokenKeys): Promise<void> {
  const now = new Date()
  await tokenKeys.reseal(now)
  await tokenKeys.current(now)
}

/** Closes the database if the start fails. */
async function closeOnFailure<Opened>(db: Database, opening: Promise<Opened>): Promise<Opened> {
  try {
    return await opening
  } catch (error) {
    await db.close()
    throw error
  }
}
