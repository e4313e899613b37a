import { readSettings } from '../read-settings.ts'
import type { SettingDefinitions, SettingValues } from '../settings.ts'

/** The default values of settings. */
export function defaultsOf<Definitions extends SettingDefinitions>(
  definitions: Definitions,
): SettingValues<Definitions> {
  return readSettings(definitions, { sources: [], prefixes: [] }).values
}
