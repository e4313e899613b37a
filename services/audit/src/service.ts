/** Starts the audit log: entries are chained, signed and anchored, so that a change to them is detected. */
import { openKnownKeys, openOwnKey, signedEntries } from '@causeway/keys/components'
import { openHsm, openSeal, type Token } from '@causeway/keys/provider'
import { statement, type Database } from '@causeway/postgres'
import type { Logger, Service } from '@causeway/process'
import { auditQuarantineService, auditService, logStoreService } from '@causeway/protos'
import { schemaOf, type ProcessParts } from '@causeway/runtime'
import { anchorOf } from './anchor.ts'
import { anchorPeriodically, openAnchorStores, warnOfLostAnchors } from './anchor-stores.ts'
import { openAttribution } from './attributing.ts'
import { usualBounds, type AuditBounds } from './bounds.ts'
import { openExport } from './export/open.ts'
import { openLogStore, serveLogStore } from './log/open.ts'
import { serveQuarantine } from './quarantine/serve.ts'
import { serveAudit } from './serve.ts'
import type { AuditSettings } from './settings.ts'
import { openSigner, openVerifier, type Signer, type Verifier } from './signing.ts'
import { openVerification } from './verification/open.ts'
import { headOf, signingKeyIds, signNewHead, storeKey } from './store.ts'

const alive = statement('select 1')

const day_ms = 86_400_000

export const start = async (
  settings: AuditSettings,
  given: ProcessParts,
  bounds: AuditBounds = usualBounds,
): Promise<Service> => {
  const log = given.log.child({ service: 'audit' })
  const hsm = await openHsm(settings)
  const signing = await openSigning(settings, hsm)
  const stores = await openAnchorStores(settings)
  const ownKey = await openOwnKey('audit', settings.AUDIT_COMPONENT_KEY_FILE, { ...given, log })
  const parts = { ...given, log, bus: signedEntries(given.bus, ownKey) }
  const db = await parts.openDatabase({
    url: settings.AUDIT_DATABASE_URL,
    ...schemaOf('audit'),
    connections_max: settings.DATABASE_CONNECTIONS_MAX,
  })
  await prepare(db, signing.signer, signing.verifier, log)
  await warnOfLostAnchors(stores, db, log)
  const { signer, seal } = signing
  const { isSigned } = signing.verifier
  const recording = { db, signer, seal }
  parts.grpc.serve(auditService, serveAudit({ ...recording, bus: parts.bus, isSigned, stores }))
  parts.grpc.serve(auditQuarantineService, serveQuarantine({ ...recording, bus: parts.bus }))
  parts.grpc.serve(logStoreService, serveLogStore(db))
  const keys = await openKnownKeys({ ...parts, group: 'audit' })
  const judging = { keys, bounds }
  const attribution = await openAttribution(parts, { ...recording, judging })
  const logStore = await openLogStore(parts, db, {
    retention_ms: settings.AUDIT_LOG_RETENTION_D * day_ms,
    lines_max: bounds.logLines_max,
  })
  parts.health.ready('audit database', async () => {
    await db.query(alive, [])
  })
  const anchoring = anchorPeriodically(settings.AUDIT_ANCHOR_INTERVAL_S, parts, {
    db,
    stores,
    signer,
    isSigned,
  })
  const exporting = openExport(settings.AUDIT_EXPORT_FILE, parts, db)
  const verification = await openVerification(settings, parts, { db, stores, isSigned })
  return {
    async stop() {
      await attribution.stop()
      await logStore.stop()
      await verification.stop()
      await exporting.stop()
      await anchoring.stop()
      await keys.stop()
      await ownKey.stop()
      await db.close()
      hsm?.close()
    },
  }
}

/** The keys that sign, verify and encrypt. */
async function openSigning(settings: AuditSettings, hsm: Token | undefined) {
  const signer = await openSigner('AUDIT_SIGNING_KEY_FILE', settings.AUDIT_SIGNING_KEY_FILE, hsm)
  const trustedFile = settings.AUDIT_TRUSTED_KEYS_FILE
  const verifier = await openVerifier('AUDIT_TRUSTED_KEYS_FILE', trustedFile, signer)
  const keys = settings.AUDIT_SECRETS_KEY
  const seal = keys === undefined ? undefined : openSeal('AUDIT_SECRETS_KEY', keys, hsm)
  return { signer, verifier, seal }
}

/** Stores the public key, so that its id is known when it no longer signs, and signs the head of a new log. */
async function prepare(
  db: Database,
  signer: Signer,
  verifier: Verifier,
  log: Logger,
): Promise<void> {
  try {
    await storeKey(db, signer, new Date())
    await signNewHead(db, anchorOf(await headOf(db), signer, new Date()))
    for (const kid of (await signingKeyIds(db)).filter((each) => !verifier.trusts(each))) {
      log.warn(
        { kid },
        'entries that this key signed do not verify: AUDIT_TRUSTED_KEYS_FILE lacks it',
      )
    }
  } catch (error) {
    await db.close()
    throw error
  }
}
