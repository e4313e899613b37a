/** Keys and certificates are files that settings name. */
import { readFile } from 'node:fs/promises'
import { StartError } from './start-error.ts'

/** The text of the file that the setting names; StartError, with the setting's name, when there is none. */
export async function readPem(setting: string, file: string): Promise<string> {
  if (file === '') throw new StartError(`${setting} is not set.`)
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new StartError(`${setting}: ${error instanceof Error ? error.message : String(error)}.`)
  }
}
