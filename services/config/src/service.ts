/** Starts the configuration of the components, and their secrets. */
import { openKnownKeys, openOwnKey, signedEntries } from '@causeway/component-keys'
import { openSeal } from '@causeway/crypto-provider'
import type { Database } from '@causeway/postgres'
import { periodically } from '@causeway/process'
import {
  configurationChangesService,
  configurationsService,
  secretChangesService,
  secretsService,
} from '@causeway/protos'
import type { Start } from '@causeway/runtime'
import { nonces_kept_ms } from './secrets/read.ts'
import { openSealing } from './secrets/sealing.ts'
import { secretChangeHandlers, secretHandlers } from './secrets/serve.ts'
import { deleteOldReads } from './secrets/store.ts'
import { globalSet } from './global.ts'
import { changeHandlers, configurationHandlers, registerSchema } from './serve.ts'
import type { Settings } from './settings.ts'
import { readClock } from './store.ts'

const group = 'config'

export const start: Start<Settings> = async (settings, parts) => {
  const log = parts.log.child({ service: 'config' })
  const { grpc } = parts
  const sealing = openSealing(openSeal('CONFIG_SECRETS_KEY', settings.CONFIG_SECRETS_KEY))
  const ownKey = await openOwnKey('config', settings.CONFIG_COMPONENT_KEY_FILE, { grpc, log })
  const bus = signedEntries(parts.bus, ownKey)
  const db = await parts.openDatabase({
    url: settings.CONFIG_DATABASE_URL,
    schema: 'config',
    migrations: new URL('../migrations/', import.meta.url),
    connections_max: settings.CONFIG_CONNECTIONS_MAX,
  })
  await prepare(db, async () => {
    await sealing.reseal(db)
    await registerSchema({ db, bus }, globalSet)
  })
  const keys = await openKnownKeys({ group, grpc, bus, log })
  const changes = { db, bus, sealing, keys }
  grpc.serve(configurationsService, configurationHandlers(changes))
  grpc.serve(configurationChangesService, changeHandlers(changes))
  grpc.serve(secretsService, secretHandlers(changes))
  grpc.serve(secretChangesService, secretChangeHandlers(changes))
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
