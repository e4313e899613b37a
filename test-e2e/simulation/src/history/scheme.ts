/**
 * The database of a hub whose scheme is there, before any payment: made once, and kept in a file until a
 * migration or any code of the hub changes. Every simulation begins with a copy of it.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cache as folder, root } from '../cache.ts'

const code = fileURLToPath(new URL('..', import.meta.url))
const { resolve } = createRequire(import.meta.url)

export function databaseOfScheme(): Blob {
  const kind = basename(code)
  const name = `${kind}-${key()}.tar`
  const path = join(folder, name)
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true })
    // Others may make it at the same time.
    const unfinished = join(folder, `${process.pid}.unfinished`)
    make(unfinished)
    renameSync(unfinished, path)
    for (const other of readdirSync(folder)) {
      if (other.startsWith(`${kind}-`) && other !== name)
        rmSync(join(folder, other), { force: true })
    }
  }
  return new Blob([readFileSync(path)])
}

/** In a process of its own, which leaves no trace in this one, and on the hub without a broken line. */
function make(path: string): void {
  const main = join(code, basename(code) === 'src' ? 'main.ts' : 'main.js')
  const { SIMULATION_MUTANT: _, ...env } = process.env
  const args = [...process.execArgv, main, '--make-scheme', path]
  execFileSync(process.execPath, args, { env, stdio: ['ignore', 'inherit', 'inherit'] })
}

/** What the database is made by: PostgreSQL itself, every migration, and the code that writes into it. */
function key(): string {
  const packages = ['libs', 'services'].flatMap((of) =>
    readdirSync(join(root, of)).map((each) => join(root, of, each)),
  )
  const files = [...packages, join(root, 'protos')].flatMap((path) => [
    ...filesIn(join(path, 'migrations')),
    ...filesIn(join(path, basename(code))),
  ])
  const hash = createHash('sha256').update(process.version).update(resolve('@electric-sql/pglite'))
  for (const path of files) hash.update(path.slice(root.length)).update(readFileSync(path))
  return hash.digest('hex').slice(0, 16)
}

function filesIn(path: string): readonly string[] {
  if (!existsSync(path)) return []
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((each) => each.isFile() && /(?<!\.test|\.d)\.(?:sql|js|ts)$/.test(each.name))
    .map((each) => join(each.parentPath, each.name))
    .sort()
}
