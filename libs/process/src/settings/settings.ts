/**
 * Settings are environment variables with a meaning, a unit, a default and a bound. A start with a
 * wrong one is refused with an error that names it, and so is one with an unknown name.
 */
import { isDeepStrictEqual } from 'node:util'

interface Described {
  /** What it is for, half a sentence. */
  readonly about: string
  /** Operators can change it while the service runs; others need a restart. */
  readonly atRunTime?: true
}

export interface IntegerSetting extends Described {
  readonly kind: 'integer'
  /** 'ms', 'connections' …; '' when it has none. */
  readonly unit: string
  /** null: there is no default, it must be given. */
  readonly default: number | null
  readonly min: number
  readonly max: number
}

/** A text of at most 65,536 characters. */
export interface TextSetting extends Described {
  readonly kind: 'text'
  /** null: there is no default, it must be given. */
  readonly default: string | null
  /** A secret is never printed, not even in a fault. */
  readonly secret: boolean
  /** What is wrong with a text other than the default, as a sentence without its end; undefined: nothing. */
  readonly check?: (text: string) => string | undefined
}

/** A text that may be left out: an empty one is read as undefined. */
export interface OptionalTextSetting extends TextSetting {
  readonly default: ''
  readonly isOptional: true
}

export interface ChoiceSetting<Option extends string = string> extends Described {
  readonly kind: 'choice'
  readonly options: readonly Option[]
  /** null: there is no default, it must be given. */
  readonly default: Option | null
}

export type SettingDefinition = IntegerSetting | TextSetting | OptionalTextSetting | ChoiceSetting

export type SettingDefinitions = Readonly<Record<string, SettingDefinition>>

type SettingValue<Definition> = Definition extends IntegerSetting
  ? number
  : Definition extends ChoiceSetting<infer Option>
    ? Option
    : Definition extends OptionalTextSetting
      ? string | undefined
      : string

/** The values of a service's settings object, by name. */
export type SettingValues<Definitions> = {
  readonly [Name in keyof Definitions]: SettingValue<Definitions[Name]>
}

export function integer(setting: Omit<IntegerSetting, 'kind'>): IntegerSetting {
  return { kind: 'integer', ...setting }
}

export function text(
  setting: Omit<TextSetting, 'kind' | 'secret'> & { readonly secret?: boolean },
): TextSetting {
  return { kind: 'text', ...setting, secret: setting.secret ?? false }
}

export function optionalText(
  setting: Omit<TextSetting, 'kind' | 'secret' | 'default'> & { readonly secret?: boolean },
): OptionalTextSetting {
  return {
    kind: 'text',
    ...setting,
    secret: setting.secret ?? false,
    default: '',
    isOptional: true,
  }
}

export function choice<const Option extends string>(setting: {
  readonly about: string
  readonly options: readonly Option[]
  readonly default: NoInfer<Option> | null
  readonly atRunTime?: true
}): ChoiceSetting<Option> {
  return { kind: 'choice', ...setting }
}

type Merged<Definitions> = (
  Definitions extends unknown ? (each: Definitions) => void : never
) extends (all: infer All) => void
  ? All
  : never

/**
 * The settings of several services as one object, for the process that runs them all. Services may
 * share a name only if it means the same to each: two definitions of it that differ are a bug.
 */
export function mergeSettings<const All extends readonly SettingDefinitions[]>(
  all: All,
): Merged<All[number]> {
  const merged: Record<string, SettingDefinition> = {}
  for (const [name, definition] of all.flatMap((definitions) => Object.entries(definitions))) {
    const other = merged[name]
    if (other !== undefined && !isDeepStrictEqual(other, definition))
      throw new Error(`two definitions of the setting ${name} differ`)
    merged[name] = definition
  }
  return merged as Merged<All[number]>
}
