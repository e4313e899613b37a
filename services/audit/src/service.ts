/** Starts the audit log: entries are chained, signed and anchored, so that a change to them is detected. */
import { openHsm } from '@causeway/crypto-provider'
import { openOwnKey } from '@causeway/component-keys'
import { onEvents } from '@causeway/events'
import { statement, type Database } from '@causeway/postgres'
import { periodically, type Logger, type Metrics, type Periodic } from '@causeway/process'
import { auditService } from '@causeway/protos'
import type { Start } from '@causeway/runtime'
import { Counter, Gauge } from 'prom-client'
import { anchorOf } from './anchor.ts'
import { openAnchorFile, type AnchorFile } from './anchor-file.ts'
import { anchorHead, type AnchoringParts } from './anchoring.ts'
import { openHandle } from './handle.ts'
import { serveAudit } from './serve.ts'
import type { Settings } from './settings.ts'
import { openSigner, openVerifier, type Signer, type Verifier } from './signing.ts'
import { headOf, signingKeyIds, signUnsignedHead, storeKey } from './store.ts'

const alive = statement('select 1')

export const start: Start<Settings> = async (settings, parts) => {
  const log = parts.log.child({ service: 'audit' })
  const hsm = await openHsm(settings)
  const keyName = settings.AUDIT_SIGNING_KEY_FILE
  const signer = await openSigner('AUDIT_SIGNING_KEY_FILE', keyName, hsm)
  const trustedFile = settings.AUDIT_TRUSTED_KEYS_FILE
  const verifier = await openVerifier('AUDIT_TRUSTED_KEYS_FILE', trustedFile, signer)
  const anchors = await anchorFileOf(settings, log)
  const ownKey = await openOwnKey('audit', settings.AUDIT_COMPONENT_KEY_FILE, { ...parts, log })
  const db = await parts.openDatabase({
    url: settings.AUDIT_DATABASE_URL,
    schema: 'audit',
    migrations: new URL('../migrations/', import.meta.url),
    connections_max: settings.AUDIT_CONNECTIONS,
  })
  await prepare(db, signer, verifier, log)
  const { isSigned } = verifier
  parts.grpc.serve(auditService, serveAudit({ db, isSigned, anchors }))
  const handle = openHandle({ db, signer, onRecorded: countRecorded(parts.metrics) })
  const subscribed = await onEvents(parts.bus, 'audit', ['/audit-log-write'], handle)
  parts.health.ready('audit database', async () => {
    await db.query(alive, [])
  })
  const anchoring =
    anchors === undefined
      ? undefined
      : anchorPeriodically(settings.AUDIT_ANCHOR_INTERVAL_S, parts.metrics, log, {
          db,
          file: anchors,
          signer,
          isSigned,
        })
  return {
    async stop() {
      await subscribed.stop()
      await anchoring?.stop()
      await ownKey.stop()
      await db.close()
      hsm?.close()
    },
  }
}

async function anchorFileOf(settings: Settings, log: Logger): Promise<AnchorFile | undefined> {
  const { AUDIT_ANCHOR_FILE: path } = settings
  return path === '' ? undefined : openAnchorFile('AUDIT_ANCHOR_FILE', path, log)
}

/**
 * Stores the public key, so that its id is known when it no longer signs, and signs the head that an
 * earlier release left without a signature.
 */
async function prepare(
  db: Database,
  signer: Signer,
  verifier: Verifier,
  log: Logger,
): Promise<void> {
  try {
    await storeKey(db, signer, new Date())
    await signUnsignedHead(db, anchorOf(await headOf(db), signer, new Date()))
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

function countRecorded(metrics: Metrics) {
  const recorded = new Counter({
    name: 'audit_entries_total',
    help: 'audit entries that were recorded, by the service that published them',
    labelNames: ['source', 'outcome'],
    registers: [metrics],
  })
  return (entries: readonly { readonly sourceBcName: string; actionSuccessful: boolean }[]) => {
    for (const { sourceBcName: source, actionSuccessful } of entries) {
      recorded.inc({ source, outcome: actionSuccessful ? 'done' : 'refused' })
    }
  }
}

function anchorPeriodically(
  interval_s: number,
  metrics: Metrics,
  log: Logger,
  parts: AnchoringParts,
): Periodic {
  const broken = new Gauge({
    name: 'audit_log_broken',
    help: '1 while the audit log does not contain what its last anchor names',
    registers: [metrics],
  })
  const anchor = async () => {
    const fault = await anchorHead(parts, new Date())
    broken.set(fault === undefined ? 0 : 1)
    if (fault !== undefined) log.error({ fault }, 'the audit log does not fit its last anchor')
  }
  return periodically(interval_s * 1_000, anchor, { log, name: 'anchor of the audit log' })
}
