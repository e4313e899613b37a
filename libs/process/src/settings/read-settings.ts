/**
 * Reads settings from their layers and refuses a start with a wrong or unknown one. Each fault is a
 * sentence that names the setting, the value, the bound and the origin of the value. A secret may be in a
 * file instead, which NAME_FILE names: other programs see the environment of a process more easily.
 */
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { boundOf, shown } from './describe-settings.ts'
import type { SettingDefinition, SettingDefinitions, SettingValues } from './settings.ts'
import { StartError } from '../start-error.ts'

/** One layer of settings. */
export interface SettingSource {
  readonly origin: 'flag' | 'file' | 'environment'
  readonly values: Readonly<Record<string, string | undefined>>
}

export type SettingOrigin = SettingSource['origin'] | 'default'

export interface SettingsReading<Definitions> {
  readonly values: SettingValues<Definitions>
  readonly origins: { readonly [Name in keyof Definitions]: SettingOrigin }
}

export interface ReadSettingsOptions {
  /** In order of precedence: a value of an earlier layer overrides later ones. */
  readonly sources: readonly SettingSource[]
  /** `TRANSFERS_` …: a variable of the environment that begins so must be known. */
  readonly prefixes: readonly string[]
}

const text_length_max = 65_536

/**
 * Throws StartError with one line for each fault: a value out of its bound, a required one that is
 * not given, an unknown name.
 */
export function readSettings<Definitions extends SettingDefinitions>(
  definitions: Definitions,
  { sources, prefixes }: ReadSettingsOptions,
): SettingsReading<Definitions> {
  const values: Record<string, string | number | undefined> = {}
  const origins: Record<string, SettingOrigin> = {}
  const faults = sources.flatMap((source) => unknownNames(definitions, source, prefixes))
  for (const [name, definition] of Object.entries(definitions)) {
    const given = secretInFile(name, definitions, sources) ?? givenValue(name, sources)
    const read = readValue(name, definition, given)
    if ('fault' in read) faults.push(read.fault)
    else values[name] = isLeftOut(definition, read.value) ? undefined : read.value
    origins[name] = given?.origin ?? 'default'
  }
  if (faults.length > 0) throw new StartError(faults.join('\n'))
  return { values, origins } as SettingsReading<Definitions>
}

function isLeftOut(definition: SettingDefinition, value: string | number): boolean {
  return 'isOptional' in definition && value === ''
}

type Read = { readonly value: string | number } | { readonly fault: string }

interface Given {
  readonly text: string
  readonly origin: SettingSource['origin']
}

interface Unreadable {
  readonly fault: string
  readonly origin: SettingSource['origin']
}

function readValue(
  name: string,
  definition: SettingDefinition,
  given: Given | Unreadable | undefined,
): Read {
  if (given === undefined) return defaultOf(name, definition)
  return 'fault' in given ? given : valueOf(name, definition, given)
}

function fileNameOf(name: string): string {
  return `${name}_FILE`
}

/** Whether NAME_FILE names a file with the value of NAME, and is no setting itself. */
function mayBeInFile(name: string, definitions: SettingDefinitions): boolean {
  const definition = definitions[name]
  return (
    definition?.kind === 'text' &&
    definition.secret === true &&
    !Object.hasOwn(definitions, fileNameOf(name))
  )
}

function secretInFile(
  name: string,
  definitions: SettingDefinitions,
  sources: readonly SettingSource[],
): Given | Unreadable | undefined {
  if (!mayBeInFile(name, definitions)) return undefined
  const file = givenValue(fileNameOf(name), sources)
  if (file === undefined || file.text === '') return undefined
  const { origin, text: path } = file
  if (givenValue(name, sources) !== undefined) {
    return { fault: `${name} and ${fileNameOf(name)} are both given.`, origin }
  }
  try {
    return { text: readFileSync(path, 'utf8').replace(/\r?\n$/, ''), origin }
  } catch (error) {
    return { fault: `${fileNameOf(name)}: ${(error as Error).message}.`, origin }
  }
}

/** An empty variable of the environment counts as not given: that is how one is unset there. */
function givenValue(name: string, sources: readonly SettingSource[]): Given | undefined {
  for (const { origin, values } of sources) {
    const text = values[name]
    if (text !== undefined && !(text === '' && origin === 'environment')) return { text, origin }
  }
  return undefined
}

function defaultOf(name: string, definition: SettingDefinition): Read {
  return definition.default === null
    ? { fault: `${name} must be given (${definition.about}): ${boundOf(definition)}.` }
    : { value: definition.default }
}

function valueOf(name: string, definition: SettingDefinition, { text, origin }: Given): Read {
  const result = schemaOf(definition).safeParse(text)
  const isDefault = text === definition.default
  const fault = definition.kind === 'text' && !isDefault ? definition.check?.(text) : undefined
  if (fault !== undefined) return { fault: `${name}: ${fault} (from ${origin}).` }
  if (result.success) return { value: result.data }
  const value = shown(definition, text)
  return { fault: `${name} must be ${boundOf(definition)}, not ${value} (from ${origin}).` }
}

function schemaOf(definition: SettingDefinition): z.ZodType<string | number, string> {
  switch (definition.kind) {
    case 'integer':
      return z
        .string()
        .regex(/^-?\d{1,15}$/)
        .transform(Number)
        .pipe(z.int().min(definition.min).max(definition.max))
    case 'text':
      return z.string().max(text_length_max)
    case 'choice':
      return z.enum(definition.options)
  }
}

function unknownNames(
  definitions: SettingDefinitions,
  { origin, values }: SettingSource,
  prefixes: readonly string[],
): string[] {
  return Object.entries(values)
    .filter(([name, value]) => value !== undefined && !Object.hasOwn(definitions, name))
    .filter(([name]) => !isSecretFile(name, definitions))
    .filter(
      ([name, value]) =>
        origin !== 'environment' ||
        (prefixes.some((prefix) => name.startsWith(prefix)) && !isServiceLink(name, value)),
    )
    .map(([name]) => `${name} (from ${origin}) is not a setting: --print-settings lists them.`)
}

function isSecretFile(name: string, definitions: SettingDefinitions): boolean {
  const end = fileNameOf('')
  return name.endsWith(end) && mayBeInFile(name.slice(0, -end.length), definitions)
}

/**
 * Kubernetes gives every pod the addresses of the services of its namespace in variables that begin
 * with their names: `TRANSFERS_SERVICE_HOST`, `TRANSFERS_PORT=tcp://10.0.0.7:4200` … They are no
 * mistake.
 */
function isServiceLink(name: string, value = ''): boolean {
  return (
    /_SERVICE_(HOST|PORT)(_\w+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_\w+)?$/.test(name) ||
    (name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value))
  )
}

/** The text of the file that the setting names; StartError, with the setting's name, when there is none. */
export async function readPem(setting: string, file: string | undefined): Promise<string> {
  if (file === undefined || file === '') throw new StartError(`${setting} is not set.`)
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new StartError(`${setting}: ${error instanceof Error ? error.message : String(error)}.`)
  }
}
