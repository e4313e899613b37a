import { StartError } from '@causeway/process'
import { expect, test } from '@jest/globals'
import { authSettings } from '../testing/world.ts'
import { attestationRoots, policyOf } from './policy.ts'

test('A PISP is listed with its origins and its relying-party ids', () => {
  const { allowed } = policyOf(
    authSettings({
      AUTH_SERVICE_ORIGINS:
        'pispx https://app.pispx.example android:apk-key-hash:abc pispx.example;  pispy https://pispy.example pispy.example ;',
    }),
  )
  expect([...allowed]).toEqual([
    [
      'pispx',
      {
        origins: ['https://app.pispx.example', 'android:apk-key-hash:abc'],
        rpIds: ['pispx.example'],
      },
    ],
    ['pispy', { origins: ['https://pispy.example'], rpIds: ['pispy.example'] }],
  ])
})

test('By default no PISP is listed and no special origin is accepted', () => {
  expect(policyOf(authSettings())).toEqual({
    allowed: new Map(),
    acceptsNativeOrigins: false,
    acceptsLocalhost: false,
    acceptsCrossOrigin: false,
    requiresUserVerification: false,
  })
})

test.each([
  'pispx',
  'pispx https://pispx.example',
  'pispx pispx.example',
  'https://pispx.example pispx.example',
  'pispx https://a.example a.example; pispx https://b.example b.example',
  'pispx https://pispx.co.uk co.uk',
  'pispx https://192.0.2.7 192.0.2.7',
  'pispx https://app.pispx.example https://other.example pispx.example',
])('The start fails with the list %s', (text) => {
  const settings = authSettings({ AUTH_SERVICE_ORIGINS: text })
  expect(() => policyOf(settings)).toThrow(StartError)
})

test('By default any maker of authenticators is accepted, and a file that names none fails the start', async () => {
  expect(await attestationRoots(authSettings())).toEqual([])
  const settings = authSettings({ AUTH_SERVICE_ATTESTATION_ROOTS_FILE: import.meta.filename })
  await expect(attestationRoots(settings)).rejects.toThrow(StartError)
})
