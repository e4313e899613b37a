import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { testSocketFolder } from './testing/test-server.ts'
import { asSuperuser, provisionDatabase, provisionSchema } from './roles/provision.ts'

test('Databases that are prepared at the same time share the role, and each gets its schema', async () => {
  const folder = testSocketFolder()
  const schema = `shop_${randomBytes(4).toString('hex')}`
  const databases = Array.from({ length: 8 }, (_, at) => `${schema}_${at}`)
  try {
    for (const database of databases) {
      await provisionDatabase(folder, database)
    }
    await Promise.all(databases.map((database) => provisionSchema(folder, database, schema)))
    for (const database of databases) {
      const { rows } = await asSuperuser(folder, database, (client) =>
        client.query(
          'select schema_owner from information_schema.schemata where schema_name = $1',
          [schema],
        ),
      )
      expect(rows).toEqual([{ schema_owner: schema }])
    }
  } finally {
    await asSuperuser(folder, 'postgres', async (client) => {
      for (const database of databases) await client.query(`drop database if exists ${database}`)
      await client.query(`drop role if exists ${schema}`)
    })
  }
})
