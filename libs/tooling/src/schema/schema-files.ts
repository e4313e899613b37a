/**
 * The page `schema.sql` of each package that has tables: what its migrations leave, read from a database that
 * they were applied to, with their comments.
 */
import { readdirSync, readFileSync } from 'node:fs'
import type { Database, DatabaseOptions } from '@causeway/postgres'
import { schemaOf } from '@causeway/runtime'
import { descriptionOf, hasDatabase, serviceNames, type ServiceName } from '@causeway/services'
import { readObjects, type SchemaObject } from './catalogue-store.ts'

export const root = new URL('../../../../', import.meta.url)

/** Opens the database of a service on an empty server, or on one with the schemas of all services. */
export type Open = (options: DatabaseOptions) => Promise<Database>

/** By path from the root. */
export async function schemaFiles(open: Open): Promise<ReadonlyMap<string, string>> {
  const packages = new Map<string, readonly SchemaObject[]>()
  for (const folder of new Set(serviceNames.flatMap((name) => descriptionOf(name).hosts ?? []))) {
    const schema = `alone_${folder.replaceAll(/\W/g, '_')}`
    packages.set(folder, await objectsIn(open, { schema, migrations: migrationsIn(folder) }))
  }
  const files = new Map([...packages].map((each) => fileOf(...each)))
  for (const service of serviceNames.filter(hasDatabase)) {
    const hosted = (descriptionOf(service).hosts ?? []).flatMap((each) => packages.get(each) ?? [])
    const own = withoutHosted(await objectsIn(open, schemaOf(service)), hosted)
    files.set(...fileOf(`services/${service}`, own, service))
  }
  return files
}

async function objectsIn(
  open: Open,
  options: Omit<DatabaseOptions, 'url' | 'connections_max'>,
): Promise<readonly SchemaObject[]> {
  const db = await open({ url: '', connections_max: 1, ...options })
  try {
    return await readObjects(db)
  } finally {
    await db.close()
  }
}

/** What the service adds to a table of a package is a statement of its own. */
function withoutHosted(
  objects: readonly SchemaObject[],
  hosted: readonly SchemaObject[],
): readonly SchemaObject[] {
  const there = new Map(hosted.map(({ name, lines }) => [name, lines]))
  return objects.flatMap(({ name, lines }) => {
    const before = there.get(name)
    if (before === undefined) return [{ name, lines }]
    const known = new Set(before.map(({ about }) => about))
    const added = lines.filter(({ about }) => !known.has(about))
    if (added.length === 0) return []
    const statements = added.map(({ about, text }) => ({
      about,
      text: `ALTER TABLE ${name} ADD ${text.trim().replace(/,$/, '')};`,
    }))
    return [{ name, lines: statements }]
  })
}

function fileOf(
  folder: string,
  objects: readonly SchemaObject[],
  service?: ServiceName,
): readonly [path: string, text: string] {
  const migrations = migrationsIn(folder)
  const sql = readdirSync(migrations)
    .toSorted()
    .map((name) => readFileSync(new URL(name, migrations), 'utf8'))
  const notes = notesIn(sql.join('\n'))
  const hosts = service === undefined ? [] : (descriptionOf(service).hosts ?? [])
  const name = folder.slice(folder.indexOf('/') + 1)
  const head = [
    `-- The tables of ${name}, as its migrations leave them. \`npm run docs\` writes this file.`,
    ...(hosts.length === 0 ? [] : [`-- Its schema also has the tables of ${hosts.join(' and ')}.`]),
  ]
  const blocks = objects.map(({ lines }) =>
    lines.flatMap(({ about, text }) => [
      ...(notes.get(about) ?? []).map((note) => `${indentOf(text)}-- ${note}`),
      text,
    ]),
  )
  return [
    `${folder}/schema.sql`,
    `${[head, ...blocks].map((block) => block.join('\n')).join('\n\n')}\n`,
  ]
}

function indentOf(text: string): string {
  return text.startsWith('  ') ? '  ' : ''
}

function migrationsIn(folder: string): URL {
  return new URL(`${folder}/migrations/`, root)
}

/** The comments of migrations by `table`, `table.column`, `index` or another name; the last one of several counts. */
function notesIn(sql: string): ReadonlyMap<string, readonly string[]> {
  const notes = new Map<string, readonly string[]>()
  let pending: string[] = []
  let table = ''
  for (const line of sql.split('\n')) {
    const comment = /^ *-- (.*)$/.exec(line)?.[1]
    if (comment !== undefined) {
      pending.push(comment)
      continue
    }
    table = /^(?:create|alter) table (\w+)/.exec(line)?.[1] ?? table
    const about = subjectOf(line, table)
    const behind = / -- (.*)$/.exec(line)?.[1]
    const note = behind === undefined ? pending : [behind]
    if (about !== undefined && note.length > 0) notes.set(about, note)
    pending = []
  }
  return notes
}

function subjectOf(line: string, table: string): string | undefined {
  const added = /^alter table \w+ add (?:column |constraint )?(\w+)/.exec(line)?.[1]
  if (added !== undefined) return `${table}.${added}`
  const made = /^create (?:unique |or replace )?(?:\w+) (\w+)/.exec(line)?.[1]
  if (made !== undefined) return made
  const member = /^ {2}(?:add )?(?:column |constraint )?(\w+) /.exec(line)?.[1]
  return member === undefined ? undefined : `${table}.${member}`
}
