import type { Ceremony } from '@causeway/credentials'
import { expect, test } from '@jest/globals'
import { ceremonyFault, originListFault } from './relying-party.ts'

const party = {
  id: 'hub.example',
  idHash: 'hash',
  origins: ['https://hub.example', 'https://operator.hub.example:8443', 'http://localhost:*'],
}
const ceremony: Ceremony = {
  origin: 'https://hub.example',
  isCrossOrigin: false,
  rpIdHash: 'hash',
  isUserVerified: true,
  signCount: 1,
}

test.each([
  'https://hub.example',
  'https://operator.hub.example:8443',
  'http://localhost',
  'http://localhost:4100',
])('The origin %s is accepted', (origin) => {
  expect(ceremonyFault({ ...ceremony, origin }, party, true)).toBeUndefined()
})

test.each([
  'http://hub.example',
  'https://hub.example:8443',
  'https://hub.example.evil.example',
  'https://evil.example',
  'http://localhost.evil.example',
  'http://localhost:4100.evil.example',
  'http://localhost:4100@evil.example',
  'https://localhost:4100',
  '',
])('The origin "%s" is refused', (origin) => {
  expect(ceremonyFault({ ...ceremony, origin }, party, false)).toMatch(/not on the list/)
})

test.each<[string, Partial<Ceremony>, boolean, RegExp | undefined]>([
  ['for another relying party', { rpIdHash: 'other' }, false, /another relying party/],
  ['in a frame of another origin', { isCrossOrigin: true }, false, /frame/],
  ['without a verified user, as the only factor', { isUserVerified: false }, true, /not verified/],
  ['without a verified user, as second factor', { isUserVerified: false }, false, undefined],
])('A ceremony %s is judged', (_case, changed, isOnlyFactor, fault) => {
  const found = ceremonyFault({ ...ceremony, ...changed }, party, isOnlyFactor)
  if (fault === undefined) expect(found).toBeUndefined()
  else expect(found).toMatch(fault)
})

test.each([
  ['https://hub.example', undefined],
  ['https://operator.hub.example:8443', undefined],
  ['https://operator.hub.example:*', undefined],
  ['https://other.example', /not an origin of hub.example/],
  ['https://evilhub.example', /not an origin of hub.example/],
  ['http://hub.example', /must be https/],
  ['https://hub.example/', /not an origin such as/],
  ['hub.example', /not an origin such as/],
  ['', /not an origin such as/],
])('The list of origins of hub.example may name "%s": %s', (origin, fault) => {
  if (fault === undefined) expect(originListFault(origin, 'hub.example')).toBeUndefined()
  else expect(originListFault(origin, 'hub.example')).toMatch(fault)
})

test('Only localhost needs no https', () => {
  expect(originListFault('http://localhost:*', 'localhost')).toBeUndefined()
  expect(originListFault('http://hub.localhost:4100', 'localhost')).toBeUndefined()
})
