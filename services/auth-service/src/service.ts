/** Starts auth-service: parts are opened in reading order and closed in reverse. */
import { openHsm, openSeal } from '@causeway/keys/provider'
import { readOwnKey, signedEntries } from '@causeway/keys/components'
import { statement, type Database } from '@causeway/postgres'
import type { Service } from '@causeway/process'
import { schemaOf, type ProcessParts, type Start } from '@causeway/runtime'
import { openAccess } from './access/open.ts'
import { serveOwnApprovals } from './approvals.ts'
import { usualBounds, type AuthBounds } from './bounds.ts'
import { openConsents, serveReads } from './consents/open.ts'
import { attestationRoots, policyOf } from './consents/policy.ts'
import { openAdapters } from './cryptography/adapters.ts'
import { registerOwnKey } from './cryptography/component-keys/serve.ts'
import { openCryptography } from './cryptography/open.ts'
import { openCa } from './fsps/credentials/certificates.ts'
import { openTokenKeys, type TokenKeys } from './fsps/credentials/token-keys.ts'
import { openFspCredentials } from './fsps/open.ts'
import { warningDaysIn } from './fsps/warnings/open.ts'
import { openMeasures } from './measures.ts'
import { day_ms, together, type OwnParts } from './own-parts.ts'
import type { AuthServiceSettings } from './settings.ts'

/** How long a key signs tokens before the next key replaces it. */
const tokenKeyLife_ms = 30 * day_ms
const alive = statement('select 1')

/**
 * Serves only queries of consents and third-party transactions: consumes no event and decides
 * nothing.
 */
export const startReads: Start<AuthServiceSettings> = async (settings, parts) => {
  const db = await openOwnDatabase(settings, parts)
  serveReads({ ...parts, db }, settings.AUTH_SERVICE_PARTICIPANT)
  return { stop: () => db.close() }
}

export const start = async (
  settings: AuthServiceSettings,
  parts: ProcessParts,
  bounds: AuthBounds = usualBounds,
): Promise<Service> => {
  const files = await readFiles(settings)
  const db = await openOwnDatabase(settings, parts)
  const token = { stop: () => files.token?.close() }
  try {
    const opened = await openParts({ settings, bounds }, parts, files, db)
    return together(parts.log, [token, { stop: () => db.close() }, opened])
  } catch (error) {
    await db.close()
    throw error
  }
}

/** What the settings name, before anything is opened. */
async function readFiles(settings: AuthServiceSettings) {
  const token = await openHsm(settings)
  return {
    token,
    seal: openSeal('AUTH_SERVICE_SECRETS_KEY', settings.AUTH_SERVICE_SECRETS_KEY, token),
    readCa: await openCa(settings),
    policy: policyOf(settings),
    roots: await attestationRoots(settings),
    days: warningDaysIn(settings.AUTH_SERVICE_ENDING_WARNINGS_D),
    ownKey: await readOwnKey('auth-service', settings.AUTH_SERVICE_COMPONENT_KEY_FILE),
  }
}

async function openParts(
  { settings, bounds }: Pick<OwnParts, 'settings' | 'bounds'>,
  parts: ProcessParts,
  { token, seal, ownKey, ...files }: Awaited<ReturnType<typeof readFiles>>,
  db: Database,
): Promise<Service> {
  const log = parts.log.child({ service: 'auth-service' })
  const key = await registerOwnKey({ db, bus: parts.bus }, ownKey, log)
  const bus = signedEntries(parts.bus, { key })
  const measures = openMeasures(parts.metrics)
  const own: OwnParts = { settings, bounds, db, bus, grpc: parts.grpc, measures, log }
  const providers = openAdapters({ seal, token, initial: settings.CRYPTO_PROVIDER })
  const tokenKeys = openTokenKeys({ db, seal, providers, life_ms: tokenKeyLife_ms })
  await openStoredKeys(tokenKeys)

  const cryptography = await openCryptography({ ...own, ...files, seal, providers })
  const access = await openAccess(own, tokenKeys)
  serveOwnApprovals(own, providers, parts.approvals)
  const fsps = await openFspCredentials({ ...own, ...files, tokenKeys, shared: parts.shared })
  const consents = await openConsents({ ...own, ...files })
  parts.health.ready('auth-service database', async () => {
    await db.query(alive, [])
  })
  return together(log, [cryptography, access, fsps, consents])
}

function openOwnDatabase(settings: AuthServiceSettings, parts: ProcessParts): Promise<Database> {
  return parts.openDatabase({
    url: settings.AUTH_SERVICE_DATABASE_URL,
    ...schemaOf('auth-service'),
    connections_max: settings.DATABASE_CONNECTIONS_MAX,
  })
}

/** A key that the seal cannot open fails the start, before anything is served. */
async function openStoredKeys(tokenKeys: TokenKeys): Promise<void> {
  const now = new Date()
  await tokenKeys.reseal(now)
  await tokenKeys.current(now)
}
