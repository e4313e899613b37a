/**
 * What changes at run time, by service. Config refuses other content under the same version, and then
 * a service runs with the values of its environment only.
 */
import { createHash } from 'node:crypto'
import { schemaVersion as fspiopApiVersion, settings as fspiopApi } from '@causeway/fspiop-api'
import {
  schemaVersion as notificationsVersion,
  settings as notifications,
} from '@causeway/notifications'
import {
  schemaVersion as participantLifecycleVersion,
  settings as participantLifecycle,
} from '@causeway/participant-lifecycle'
import type { SettingDefinitions } from '@causeway/process'
import { schemaVersion as quotingVersion, settings as quoting } from '@causeway/quoting'
import { schemaVersion as transfersVersion, settings as transfers } from '@causeway/transfers'
import { expect, test } from '@jest/globals'

/** The version and a hash of names, types, texts and bounds; the defaults may differ. */
function schemaOf(schemaVersion: string, settings: SettingDefinitions): string {
  const content = Object.entries(settings)
    .filter(([, { atRunTime }]) => atRunTime === true)
    .map(([name, definition]) => [name, { ...definition, default: null }])
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex')
  return `${schemaVersion} ${hash.slice(0, 8)}`
}

test('Other settings that change at run time have another schema version', () => {
  expect({
    'fspiop-api': schemaOf(fspiopApiVersion, fspiopApi),
    notifications: schemaOf(notificationsVersion, notifications),
    'participant-lifecycle': schemaOf(participantLifecycleVersion, participantLifecycle),
    quoting: schemaOf(quotingVersion, quoting),
    transfers: schemaOf(transfersVersion, transfers),
  }).toEqual({
    'fspiop-api': '1.1.0 8aec0339',
    notifications: '1.2.0 0d7223a4',
    'participant-lifecycle': '1.0.0 bf0b9ba3',
    quoting: '1.1.0 d71f129e',
    transfers: '1.0.0 754ad1c2',
  })
})
