/** Starts the configuration of the components. */
import { configurationChangesService, configurationsService } from '@causeway/protos'
import type { Start } from '@causeway/runtime'
import { changeHandlers, configurationHandlers } from './serve.ts'
import type { Settings } from './settings.ts'
import { readClock } from './store.ts'

export const start: Start<Settings> = async (settings, parts) => {
  const db = await parts.openDatabase({
    url: settings.CONFIG_DATABASE_URL,
    schema: 'config',
    migrations: new URL('../migrations/', import.meta.url),
    connections_max: settings.CONFIG_CONNECTIONS_MAX,
  })
  const changes = { db, bus: parts.bus }
  parts.grpc.serve(configurationsService, configurationHandlers(changes))
  parts.grpc.serve(configurationChangesService, changeHandlers(changes))
  parts.health.ready('config database', () => readClock(db).then(() => undefined))
  return { stop: () => db.close() }
}
