/** A folder of migrations for one test. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { temporaryFolder } from './test-server.ts'

/** Writes the files, by name, into a new folder that is removed at the end of the run. */
export function migrationFiles(files: Readonly<Record<string, string>>): URL {
  const folder = temporaryFolder('migrations')
  for (const [name, sql] of Object.entries(files)) writeFileSync(join(folder, name), sql)
  return pathToFileURL(`${folder}/`)
}
