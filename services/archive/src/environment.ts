/** Database URLs and keys may be in files, as for services: NAME_FILE names the file with the value of NAME. */
import { readFileSync } from 'node:fs'
import { StartError } from '@causeway/process'

export type Environment = Readonly<Record<string, string | undefined>>

const inFile = /^((?:[A-Z][A-Z0-9_]*_)?DATABASE_URL|AUTH_SERVICE_SECRETS_KEY)_FILE$/

/** The environment with these values. Throws StartError for a value that is given twice, and for an unreadable file. */
export function withFiles(environment: Environment): Environment {
  const read = Object.entries(environment).flatMap(([fileName, path]) => {
    const name = inFile.exec(fileName)?.[1]
    if (name === undefined || path === undefined || path === '') return []
    if ((environment[name] ?? '') !== '') {
      throw new StartError(`${name} and ${fileName} are both given.`)
    }
    return [[name, contentOf(fileName, path)] as const]
  })
  return { ...environment, ...Object.fromEntries(read) }
}

function contentOf(fileName: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new StartError(`${fileName}: ${(error as Error).message}.`)
  }
}
