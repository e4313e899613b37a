/**
 * The settings of a service that change at run time, as the schema that config stores: integers and
 * texts as parameters, choices of on and off as feature flags, other choices as texts. Secrets are
 * registered apart, by name.
 */
import {
  readSettings,
  StartError,
  type SettingDefinition,
  type SettingDefinitions,
} from '@causeway/process'
import type { ConfigurationSet, SecretSet } from '@causeway/protos'

/** Values of settings by name. */
export type LiveValues = Readonly<Record<string, string | number | undefined>>

/** The settings of a service that change at run time, without secrets. */
function runTimeSettings(definitions: SettingDefinitions): SettingDefinitions {
  return changing(definitions, (definition) => !isSecret(definition))
}

/** The secrets of a service that change at run time. */
export function runTimeSecrets(definitions: SettingDefinitions): SettingDefinitions {
  return changing(definitions, isSecret)
}

function changing(
  definitions: SettingDefinitions,
  isMeant: (definition: SettingDefinition) => boolean,
): SettingDefinitions {
  return Object.fromEntries(
    Object.entries(definitions).filter(
      ([, definition]) => definition.atRunTime === true && isMeant(definition),
    ),
  )
}

function isSecret(definition: SettingDefinition): boolean {
  return definition.kind === 'text' && definition.secret
}

/** Without one that an operator has set, that of the environment applies, so none is required. */
export function secretSetMessage(
  service: string,
  version: string,
  definitions: SettingDefinitions,
): SecretSet {
  const keys = Object.entries(runTimeSecrets(definitions)).map(([name, { about }]) => ({
    name,
    description: about,
    required: false,
    isSet: false,
  }))
  return { boundedContextId: service, version, iterationNumber: 0, keys }
}

/** @param values what the environment gives: the defaults of the deployment */
export function schemaMessage(
  service: string,
  schemaVersion: string,
  definitions: SettingDefinitions,
  values: LiveValues,
): ConfigurationSet {
  const all = Object.entries(runTimeSettings(definitions))
  return {
    boundedContextId: service,
    schemaVersion,
    iterationNumber: 0,
    parameters: all
      .filter(([, definition]) => !isFlag(definition))
      .map(([name, definition]) => ({
        name,
        type: definition.kind === 'integer' ? 'INT_NUMBER' : 'STRING',
        description: descriptionOf(definition),
        defaultJson: JSON.stringify(values[name] ?? ''),
        currentJson: '',
        isSet: false,
        jsonSchema: JSON.stringify(boundsOf(definition)),
      })),
    featureFlags: all
      .filter(([, definition]) => isFlag(definition))
      .map(([name, { about: description }]) => ({
        name,
        description,
        defaultValue: values[name] === 'on',
        currentValue: false,
        isSet: false,
      })),
  }
}

function isFlag(definition: SettingDefinition): boolean {
  return definition.kind === 'choice' && definition.options.toSorted().join() === 'off,on'
}

function descriptionOf(definition: SettingDefinition): string {
  const { about } = definition
  const unit = definition.kind === 'integer' ? definition.unit : ''
  return unit === '' ? about : `${about} (${unit})`
}

function boundsOf(definition: SettingDefinition): object {
  switch (definition.kind) {
    case 'integer':
      return { minimum: definition.min, maximum: definition.max }
    case 'choice':
      return { enum: definition.options }
    case 'text':
      return {}
  }
}

export interface SetValues {
  readonly values: LiveValues
  /** A sentence for each value that this release does not accept. */
  readonly faults: readonly string[]
}

/**
 * What operators have set, as far as this process knows the setting and its bounds allow the value: a
 * newer release may have registered others.
 */
export function setValuesOf(
  definitions: SettingDefinitions,
  { parameters, featureFlags }: ConfigurationSet,
): SetValues {
  const set = [
    ...parameters
      .filter(({ isSet }) => isSet)
      .map(({ name, currentJson }) => [name, String(JSON.parse(currentJson))] as const),
    ...featureFlags
      .filter(({ isSet }) => isSet)
      .map(({ name, currentValue }) => [name, currentValue ? 'on' : 'off'] as const),
  ]
  const known = runTimeSettings(definitions)
  const values: Record<string, string | number> = {}
  const faults: string[] = []
  for (const [name, value] of set) {
    const definition = known[name]
    if (definition === undefined) continue
    try {
      const source = { origin: 'flag', values: { [name]: value } } as const
      const read = readSettings({ [name]: definition }, { sources: [source], prefixes: [] })
      values[name] = read.values[name] ?? ''
    } catch (error) {
      if (!(error instanceof StartError)) throw error
      faults.push(error.message)
    }
  }
  return { values, faults }
}

/** Whether a semantic version is lower than the other. */
export function isLower(version: string, other: string): boolean {
  return version.localeCompare(other, 'en', { numeric: true }) < 0
}
