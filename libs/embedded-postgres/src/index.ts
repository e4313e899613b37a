/** A PostgreSQL server that belongs to this process. */
export { prepareDataFolder } from './data-folder-owner.ts'
export { livePostmaster } from './data-folder.ts'
export { type Durability, startServer } from './server.ts'
