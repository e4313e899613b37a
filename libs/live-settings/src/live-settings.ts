/**
 * The settings of a service, of which some change at run time: the service registers those at config
 * when it starts, and follows what operators set there. While config is unavailable the last values
 * apply, at first those of the environment. The same holds for secrets.
 */
import type { OwnKey } from '@causeway/keys/components'
import type { SettingDefinitions, SettingValues } from '@causeway/process'
import type { ServiceName } from '@causeway/services'
import { runTimeSecrets, type LiveValues } from './schema.ts'
import { followSecrets } from './secrets.ts'
import { followValues, type LiveSettingsParts } from './values.ts'

export interface LiveSettings<Current> {
  /** All settings with the values that apply now: another object after each change. */
  readonly current: Current
  /** The listener is called after each change, with the new values. */
  onChange(listener: (current: Current) => void): void
  stop(): Promise<void>
}

export interface LiveSettingsOptions<Definitions extends SettingDefinitions> {
  readonly service: ServiceName
  /** Of the settings that change at run time; raise it when one is added, removed or changed. */
  readonly schemaVersion: string
  readonly definitions: Definitions
  /** What the environment gives. */
  readonly values: SettingValues<Definitions>
  /** The key that signs requests for secrets; needed where some of them change at run time. */
  readonly ownKey?: OwnKey
}

/** The start waits so long for config. */
const first_ms = 1_000

export async function openLiveSettings<Definitions extends SettingDefinitions>(
  { service, schemaVersion, definitions, values, ownKey }: LiveSettingsOptions<Definitions>,
  parts: LiveSettingsParts,
): Promise<LiveSettings<SettingValues<Definitions>>> {
  const listeners: ((current: SettingValues<Definitions>) => void)[] = []
  const set: Record<'values' | 'secrets', LiveValues> = { values: {}, secrets: {} }
  let current = values

  function apply(): void {
    const next: SettingValues<Definitions> = { ...values, ...set.values, ...set.secrets }
    const changed = Object.keys(next).filter((name) => next[name] !== current[name])
    if (changed.length === 0) return
    current = next
    parts.log.info({ changed }, 'the configuration has changed')
    for (const listener of listeners) listener(current)
  }
  const onSet = (which: keyof typeof set) => (read: LiveValues) => {
    set[which] = read
    apply()
  }

  const following = await followValues(
    { service, schemaVersion, definitions, values, onValues: onSet('values') },
    parts,
    first_ms,
  )
  const hasSecrets = Object.keys(runTimeSecrets(definitions)).length > 0
  const followingSecrets = hasSecrets
    ? await followSecrets(
        { service, version: schemaVersion, definitions, ownKey, onValues: onSet('secrets') },
        parts,
        first_ms,
      )
    : undefined
  return {
    get current() {
      return current
    },
    onChange: (added) => void listeners.push(added),
    async stop() {
      await followingSecrets?.stop()
      await following.stop()
    },
  }
}
