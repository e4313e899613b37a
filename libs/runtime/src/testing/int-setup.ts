/**
 * One PostgreSQL for a run of integration tests, and in it the database that each test copies: it has the
 * schemas of all services, since applying their migrations takes ten times as long as a copy.
 */
import { startTestServer } from '@causeway/embedded-postgres/testing'
import { createTestDatabase, testSocketFolder } from '@causeway/postgres/testing'
import { asSuperuser } from '@causeway/postgres'
import { hasDatabase, serviceNames } from '@causeway/services'
import { schemaOf } from '../schema.ts'
import { openOn, templateVariable } from './test-parts.ts'

export default async function setUp(): Promise<void> {
  await startTestServer()
  const database = await createTestDatabase()
  const parts = await openOn(database, {})
  for (const service of serviceNames.filter(hasDatabase)) {
    await parts.openDatabase({ url: '', ...schemaOf(service), connections_max: 1 })
  }
  await parts.close()
  // A database is copied only while nothing is connected, the autovacuum included.
  await asSuperuser(testSocketFolder(), 'postgres', (client) =>
    client.query(`alter database ${database.name} with allow_connections false`),
  )
  process.env[templateVariable] = database.name
}
