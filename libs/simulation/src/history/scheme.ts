/**
 * The database of a hub whose scheme is there, before any payment: made once, and kept in a file until the
 * migrations or the simulation change. Every simulation begins with a copy of it.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const code = fileURLToPath(new URL('..', import.meta.url))
const root = fileURLToPath(new URL('../../../../', import.meta.url))
const folder = join(root, 'node_modules/.cache/simulation')
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

/** What the database is made of: every migration, PostgreSQL itself, and this package. */
function key(): string {
  const migrations = ['libs', 'services'].flatMap((of) =>
    readdirSync(join(root, of)).flatMap((each) => filesIn(join(root, of, each, 'migrations'))),
  )
  const hash = createHash('sha256').update(process.version).update(resolve('@electric-sql/pglite'))
  const own = filesIn(code).filter((path) => !/mutants|\.test\./.test(path))
  for (const path of [...migrations, ...own]) hash.update(path).update(readFileSync(path))
  return hash.digest('hex').slice(0, 16)
}

function filesIn(path: string): readonly string[] {
  if (!existsSync(path)) return []
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((each) => each.isFile() && /\.(?:sql|js|ts|mjs)$/.test(each.name))
    .map((each) => join(each.parentPath, each.name))
    .sort()
}
