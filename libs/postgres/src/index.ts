/** How a service uses PostgreSQL. */
export { byteaArray, textArray } from './arrays.ts'
export { readClock } from './clock.ts'
export { type ConnectionOptions, connectionConfig, onOwnConnection } from './connection.ts'
export type { Database, Outbox, Queries, Statement, Transaction, Value } from './database.ts'
export { type ExclusiveDatabase, type ExclusiveOptions, openExclusive } from './exclusive.ts'
export { sqlState, wasRefused } from './failure.ts'
export { askForHubLock, socketPort, superuser, superuserClient } from './hub-lock.ts'
export { type DatabaseOptions, openDatabase, openPool } from './open.ts'
export type { MessageHeaders, OutgoingMessage } from './outgoing-message.ts'
export {
  archivedMonths,
  ensureMonthlyPartitions,
  filedMonthOf,
  isArchived,
  monthOf,
  months_ahead,
  row_bytes_whole,
} from './partitions.ts'
export { asSuperuser, provisionDatabase } from './roles/provision.ts'
export { migrate, type MigrationFolders } from './migrate.ts'
export { provisionRole } from './roles/roles.ts'
export { serviceDatabases, socketUrl } from './service-databases.ts'
export { rightsIn, roleIn, type RoleRights } from './roles/serving-role.ts'
export { statement } from './statement.ts'
