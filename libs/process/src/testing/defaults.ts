import { readSettings } from '../settings/read-settings.ts'
import type { SettingDefinitions, SettingValues } from '../settings/settings.ts'

/** The default values of settings. */
export function defaultsOf<Definitions extends SettingDefinitions>(
  definitions: Definitions,
): SettingValues<Definitions> {
  return readSettings(definitions, { sources: [], prefixes: [] }).values
}
