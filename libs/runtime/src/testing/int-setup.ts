/**
 * One PostgreSQL for a run of integration tests, and in it the database that each test copies: it has the
 * schemas of all services, since applying their migrations takes ten times as long as a copy.
 */
import { existsSync, readdirSync } from 'node:fs'
import { startTestServer } from '@causeway/embedded-postgres/testing'
import { createTestDatabase, testSocketFolder } from '@causeway/postgres/testing'
import { asSuperuser } from '@causeway/postgres'
import { openOn, templateVariable } from './test-parts.ts'

const services = new URL('../../../../services/', import.meta.url)

export default async function setUp(): Promise<void> {
  await startTestServer()
  const database = await createTestDatabase()
  const parts = await openOn(database, {})
  for (const folder of readdirSync(services)) {
    const migrations = new URL(`${folder}/migrations/`, services)
    if (!existsSync(migrations)) continue
    const schema = folder.replaceAll('-', '_')
    await parts.openDatabase({ url: '', schema, migrations, connections_max: 1 })
  }
  await parts.close()
  // A database is copied only while nothing is connected, the autovacuum included.
  await asSuperuser(testSocketFolder(), 'postgres', (client) =>
    client.query(`alter database ${database.name} with allow_connections false`),
  )
  process.env[templateVariable] = database.name
}
