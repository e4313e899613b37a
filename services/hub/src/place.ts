/** Where the hub keeps things: DATA_DIR, and the log in it. */
import { logTo, openLog, StartError, type Logger } from '@causeway/runtime'
import { accessSync, constants, mkdirSync, openSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { HubSettings } from './settings.ts'

/** Makes the folder and gives the settings with its whole path; StartError when it cannot. */
export function prepareDataDir(settings: HubSettings): HubSettings {
  const DATA_DIR = resolve(settings.DATA_DIR)
  try {
    mkdirSync(DATA_DIR, { recursive: true, mode: 0o755 })
    accessSync(DATA_DIR, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new StartError(`DATA_DIR ${DATA_DIR} cannot be used: ${(error as Error).message}.`)
  }
  return { ...settings, DATA_DIR }
}

/** The log in LOG_FILE, in DATA_DIR/causeway.log when that is empty, on stderr when it is `-`. */
export function openHubLog({ DATA_DIR, LOG_FILE, LOG_LEVEL }: HubSettings): Logger {
  if (LOG_FILE === '-') return openLog({ name: 'hub', level: LOG_LEVEL })
  const path = LOG_FILE === '' ? join(DATA_DIR, 'causeway.log') : resolve(LOG_FILE)
  try {
    const destination = logTo(openSync(path, 'a', 0o600))
    return openLog({ name: 'hub', level: LOG_LEVEL, destination })
  } catch (error) {
    throw new StartError(`The log ${path} cannot be written: ${(error as Error).message}.`)
  }
}
