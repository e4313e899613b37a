/** Starts the audit log: entries are chained and signed, so that a change to them is detected. */
import { onEvents } from '@causeway/events'
import { statement, type Database } from '@causeway/postgres'
import { auditService } from '@causeway/protos'
import type { Start } from '@causeway/runtime'
import { Counter } from 'prom-client'
import { openHandle } from './handle.ts'
import { serveAudit } from './serve.ts'
import type { Settings } from './settings.ts'
import { openSigner, type Signer } from './signing.ts'
import { storeKey } from './store.ts'

const alive = statement('select 1')

export const start: Start<Settings> = async (settings, parts) => {
  const signer = await openSigner('AUDIT_SIGNING_KEY_FILE', settings.AUDIT_SIGNING_KEY_FILE)
  const db = await parts.openDatabase({
    url: settings.AUDIT_DATABASE_URL,
    schema: 'audit',
    migrations: new URL('../migrations/', import.meta.url),
    connections_max: settings.AUDIT_CONNECTIONS,
  })
  await registerKey(db, signer)
  const recorded = new Counter({
    name: 'audit_entries_total',
    help: 'audit entries that were recorded, by the service that published them',
    labelNames: ['source', 'outcome'],
    registers: [parts.metrics],
  })
  parts.grpc.serve(auditService, serveAudit(db))
  const handle = openHandle({
    db,
    signer,
    onRecorded(entries) {
      for (const { sourceBcName: source, actionSuccessful } of entries) {
        recorded.inc({ source, outcome: actionSuccessful ? 'done' : 'refused' })
      }
    },
  })
  const subscribed = await onEvents(parts.bus, 'audit', ['/audit-log-write'], handle)
  parts.health.ready('audit database', async () => {
    await db.query(alive, [])
  })
  return {
    async stop() {
      await subscribed.stop()
      await db.close()
    },
  }
}

/** Stores the public key, which verification of the log needs later. */
async function registerKey(db: Database, signer: Signer): Promise<void> {
  try {
    await storeKey(db, signer, new Date())
  } catch (error) {
    await db.close()
    throw error
  }
}
