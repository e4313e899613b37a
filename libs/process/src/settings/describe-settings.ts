/** Settings for people to read, without secrets and passwords in URLs. */
import type { SettingsReading } from './read-settings.ts'
import type { SettingDefinition, SettingDefinitions } from './settings.ts'

/** One line of `--print-settings`. */
export interface SettingRow {
  readonly name: string
  readonly value: string
  readonly unit: string
  readonly default: string
  readonly bound: string
  readonly origin: string
  /** When a change applies. */
  readonly changes: string
  readonly about: string
}

const value_length_max = 80
const header: SettingRow = {
  name: 'name',
  value: 'value',
  unit: 'unit',
  default: 'default',
  bound: 'bound',
  origin: 'origin',
  changes: 'changes',
  about: 'about',
}

/** Every setting with its meaning and the origin of its value, by name. */
export function settingRows<Definitions extends SettingDefinitions>(
  definitions: Definitions,
  { values, origins }: SettingsReading<Definitions>,
): readonly SettingRow[] {
  const rows = Object.entries(definitions).map(([name, definition]) => ({
    name,
    value: shown(definition, values[name] ?? ''),
    unit: definition.kind === 'integer' ? definition.unit : '',
    default: definition.default === null ? '(required)' : shown(definition, definition.default),
    bound: boundOf(definition),
    origin: origins[name] ?? 'default',
    changes: definition.atRunTime === true ? 'at run time' : 'by restart',
    about: definition.about,
  }))
  return rows.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The table of `--print-settings`: a head and one line for each setting, in columns. */
export function describeSettings<Definitions extends SettingDefinitions>(
  definitions: Definitions,
  reading: SettingsReading<Definitions>,
): string {
  const rows = [header, ...settingRows(definitions, reading)]
  const columns = Object.keys(header) as (keyof SettingRow)[]
  const widths = columns.map((column) => Math.max(...rows.map((row) => row[column].length)))
  return rows
    .map((row) => columns.map((column, at) => row[column].padEnd(widths[at] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n')
}

/** The values that are allowed: 'an integer from 1 to 60000 (ms)'. */
export function boundOf(definition: SettingDefinition): string {
  switch (definition.kind) {
    case 'integer': {
      const { min, max, unit } = definition
      return `an integer from ${min} to ${max}${unit === '' ? '' : ` (${unit})`}`
    }
    case 'text':
      return 'a text of at most 65536 characters'
    case 'choice':
      return `one of ${definition.options.join(', ')}`
  }
}

/** A value as it may be printed. */
export function shown(definition: SettingDefinition, value: string | number): string {
  const text = String(value)
  if (text === '') return '(empty)'
  if (definition.kind === 'text' && definition.secret) return '(hidden)'
  const open = text.replace(/(:\/\/[^:/@\s]*):[^@\s]*@/g, '$1:(hidden)@')
  return open.length > value_length_max ? `${open.slice(0, value_length_max)}…` : open
}
