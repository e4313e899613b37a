/** Starts the configuration of the components, and their secrets. */
import { readClock } from '@causeway/postgres'
import { approvalHandlers, openApprovals, personsOf } from '@causeway/approvals'
import { openKnownKeys, openOwnKey, signedEntries } from '@causeway/keys/components'
import { openSeal } from '@causeway/keys/provider'
import type { Database } from '@causeway/postgres'
import { periodically } from '@causeway/process'
import { configurationsService, operatorsService, secretsService } from '@causeway/protos'
import { schemaOf, type Start } from '@causeway/runtime'
import { configurationValuesKind } from './approval.ts'
import { secretValuesKind } from './secrets/approval.ts'
import { nonces_kept_ms } from './secrets/read.ts'
import { openSealing } from './secrets/sealing.ts'
import { secretHandlers } from './secrets/serve.ts'
import { deleteOldReads } from './secrets/store.ts'
import { globalSet } from './global.ts'
import { configurationHandlers, registerSchema } from './serve.ts'
import type { ConfigSettings } from './settings.ts'

const group = 'config'
const hour_ms = 3_600_000

export const start: Start<ConfigSettings> = async (settings, parts) => {
  const log = parts.log.child({ service: 'config' })
  const { grpc } = parts
  const sealing = openSealing(openSeal('CONFIG_SECRETS_KEY', settings.CONFIG_SECRETS_KEY))
  const ownKey = await openOwnKey('config', settings.CONFIG_COMPONENT_KEY_FILE, { grpc, log })
  const bus = signedEntries(parts.bus, ownKey)
  const db = await parts.openDatabase({
    url: settings.CONFIG_DATABASE_URL,
    ...schemaOf('config'),
    connections_max: settings.DATABASE_CONNECTIONS_MAX,
  })
  await prepare(db, async () => {
    await sealing.reseal(db)
    await registerSchema({ db, bus }, globalSet)
  })
  const keys = await openKnownKeys({ group, grpc, bus, log })
  const life_ms = settings.APPROVAL_LIFE_H * hour_ms
  const approvals = openApprovals({
    source: 'config',
    db,
    bus,
    life_ms,
    kinds: {
      ConfigurationValues: configurationValuesKind(bus),
      SecretValues: secretValuesKind(bus, sealing),
    },
    persons: personsOf(grpc.client(operatorsService, 'auth-service')),
  })
  parts.approvals.add('config', approvalHandlers({ approvals, db, life_ms }))
  grpc.serve(configurationsService, configurationHandlers({ db, bus }))
  grpc.serve(secretsService, secretHandlers({ db, bus, sealing, keys }))
  const cleaning = periodically(nonces_kept_ms, () => deleteOldReads(db, nonces_kept_ms), {
    log,
    name: 'deletion of old nonces',
  })
  parts.health.ready('config database', () => readClock(db).then(() => undefined))
  return {
    async stop() {
      await cleaning.stop()
      await keys.stop()
      await ownKey.stop()
      await db.close()
    },
  }
}

/** A key that did not encrypt what is stored fails the start, before anything is served. */
async function prepare(db: Database, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    await db.close()
    throw error
  }
}
