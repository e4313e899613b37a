import { StartError } from '@causeway/process'
import { expect, test } from '@jest/globals'
import { settings } from '../../settings.ts'
import { relyingPartyOf } from './relying-party.ts'

test('By default the console at any port of localhost is the relying party', () => {
  const { AUTH_SERVICE_FIDO_RP_ID: id, AUTH_SERVICE_FIDO_ORIGINS: origins } = settings
  const usual = {
    AUTH_SERVICE_FIDO_RP_ID: id.default ?? '',
    AUTH_SERVICE_FIDO_ORIGINS: origins.default ?? '',
  }
  expect(relyingPartyOf(usual)).toEqual({
    id: 'localhost',
    idHash: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2M',
    origins: ['http://localhost:*'],
  })
})

test('A domain has one or more origins', () => {
  const party = relyingPartyOf({
    AUTH_SERVICE_FIDO_RP_ID: 'hub.example',
    AUTH_SERVICE_FIDO_ORIGINS: 'https://hub.example, https://operator.hub.example:8443 ,',
  })
  expect(party.origins).toEqual(['https://hub.example', 'https://operator.hub.example:8443'])
})

test.each([
  ['127.0.0.1', 'http://127.0.0.1:4100', /'127.0.0.1' is not a domain/],
  ['co.uk', 'https://hub.co.uk', /'co.uk' is not a domain/],
  ['hub.example', 'http://localhost:*', /'http:\/\/localhost:\*' is not an origin of hub.example/],
  ['hub.example', 'http://hub.example', /must be https/],
  ['hub.example', ' , ', /names no origin/],
])('The start is refused with the relying party %s and the origins "%s"', (id, origins, fault) => {
  const given = { AUTH_SERVICE_FIDO_RP_ID: id, AUTH_SERVICE_FIDO_ORIGINS: origins }
  expect(() => relyingPartyOf(given)).toThrow(StartError)
  expect(() => relyingPartyOf(given)).toThrow(fault)
})
