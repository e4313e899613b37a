/** The tables of auth-service that archive and restore use, as its migrations make them. */
import type { Database } from '@causeway/postgres'
import { migrationFiles, type TestDatabases } from '@causeway/postgres/testing'

const tables = `
  create table month_keys (
    month date primary key, sealed bytea, created_at timestamptz(3) not null);
  create table archived_tables (
    month date not null, table_name text collate "C" not null, digest text not null,
    archived_at timestamptz(3) not null, primary key (month, table_name));`

export function openAuthService(databases: TestDatabases): Promise<Database> {
  return databases.openDatabase({
    url: '',
    schema: 'auth_service',
    migrations: migrationFiles({ '0001-tables.sql': tables }),
    connections_max: 2,
  })
}
