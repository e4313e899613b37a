/** The hub's data directory, DATA_DIR, and its log file. */
import { accessSync, constants, mkdirSync, openSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { logTo, openLog, StartError, type Logger } from '@causeway/process'
import type { HubSettings } from './settings.ts'

/**
 * Creates the folder and returns the settings with its absolute path. Throws StartError on failure.
 */
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

/** Logs to LOG_FILE: DATA_DIR/causeway.log when empty, stderr when it is `-`. */
export function openHubLog({ DATA_DIR, LOG_FILE, LOG_LEVEL }: HubSettings): Logger {
  if (LOG_FILE === '-') return openLog({ name: 'hub', level: LOG_LEVEL })
  const path = LOG_FILE === undefined ? join(DATA_DIR, 'causeway.log') : resolve(LOG_FILE)
  try {
    const destination = logTo(openSync(path, 'a', 0o600))
    return openLog({ name: 'hub', level: LOG_LEVEL, destination })
  } catch (error) {
    throw new StartError(`The log ${path} cannot be written: ${(error as Error).message}.`)
  }
}
