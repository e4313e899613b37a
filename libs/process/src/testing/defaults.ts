import { readSettings } from '../read-settings.ts'
import type { SettingDefinitions, SettingValues } from '../settings.ts'

/** The values of settings that nobody set. */
export function defaultsOf<Definitions extends SettingDefinitions>(
  definitions: Definitions,
): SettingValues<Definitions> {
  return readSettings(definitions, { sources: [], prefixes: [] }).values
}
