/**
 * The files of the administrators' first passwords: a file is removed when its password is not valid any
 * more. A file that this process may not remove, such as one of a Secret, stays, and the log names it.
 */
import { readFile, rm } from 'node:fs/promises'
import type { Database } from '@causeway/postgres'
import type { Logger } from '@causeway/process'
import type { Secrets } from './secrets.ts'
import { operatorsOf, secretHashOf } from './store.ts'

export interface InitialPasswordParts {
  readonly db: Database
  readonly secrets: Secrets
  readonly log: Logger
  /** By the name of the operator; empty: there is none. */
  readonly files: ReadonlyMap<string, string>
}

export interface InitialPasswords {
  /** After a change of the operator's password. */
  changed(name: string): Promise<void>
  /** At the start: logs which first passwords are still valid, and removes the files of others. */
  review(): Promise<void>
}

export function openInitialPasswords(parts: InitialPasswordParts): InitialPasswords {
  const { log, files } = parts

  async function remove(name: string, file: string): Promise<void> {
    try {
      await rm(file, { force: true })
    } catch (error) {
      const words = 'the first password was changed, and its file cannot be removed here: remove it'
      log.info({ operator: name, file, error: (error as Error).message }, words)
    }
  }

  return {
    async changed(name) {
      const file = files.get(name)
      if (file !== undefined) await remove(name, file)
    },
    async review() {
      for (const [name, file] of files) {
        switch (await stateOf(parts, name, file)) {
          case 'VALID':
            log.info({ operator: name, file }, 'the first password has not been changed yet')
            break
          case 'OVER':
            await remove(name, file)
            break
          case 'UNKNOWN':
            break
        }
      }
    },
  }
}

/** Whether the password in the file is that of the operator. Unknown: there is no such file or operator. */
async function stateOf(
  { db, secrets }: InitialPasswordParts,
  name: string,
  file: string,
): Promise<'VALID' | 'OVER' | 'UNKNOWN'> {
  const [operator] = await operatorsOf(db, [name])
  const password = await readFile(file, 'utf8').catch(() => undefined)
  if (operator === undefined || password === undefined) return 'UNKNOWN'
  if (!operator.mustChange) return 'OVER'
  const look = await secrets.check(password.trim(), await secretHashOf(db, name))
  return look === 'WRONG' ? 'OVER' : 'VALID'
}
