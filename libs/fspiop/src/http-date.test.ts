import { expect, test } from '@jest/globals'
import { readHttpDate, writeHttpDate } from './http-date.ts'

test.each([
  ['Sun, 06 Nov 1994 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
  ['Sunday, 06-Nov-94 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
  ['Sun Nov  6 08:49:37 1994', '1994-11-06T08:49:37.000Z'],
  ['Wed Nov 16 08:49:37 1994', '1994-11-16T08:49:37.000Z'],
  ['Tuesday, 15-Nov-22 10:14:02 GMT', '2022-11-15T10:14:02.000Z'],
  ['Thu, 29 Feb 2024 00:00:00 GMT', '2024-02-29T00:00:00.000Z'],
  ['Tue, 29 Feb 2000 23:59:59 GMT', '2000-02-29T23:59:59.000Z'],
  ['Sat, 31 Dec 2016 23:59:60 GMT', '2017-01-01T00:00:00.000Z'],
])('%s is read', (text, iso) => {
  expect(readHttpDate(text)?.toISOString()).toBe(iso)
})

test.each([
  '',
  'yesterday',
  '2022-11-15T10:14:02.000Z',
  'Tue, 15 Nov 2022 10:14:02',
  'Tue, 15 Nov 2022 10:14:02 UTC',
  'Tue, 15 Nov 2022 10:14:02 +0000',
  'tue, 15 nov 2022 10:14:02 gmt',
  'Tue, 5 Nov 2022 10:14:02 GMT',
  'Tue, 15 November 2022 10:14:02 GMT',
  'Tue, 15 Nov 2022 24:00:00 GMT',
  'Tue, 15 Nov 2022 10:60:00 GMT',
  'Tue, 15 Nov 2022 10:14 GMT',
  'Wed, 29 Feb 2023 00:00:00 GMT',
  'Thu, 29 Feb 1900 00:00:00 GMT',
  'Wed, 31 Apr 2024 00:00:00 GMT',
  'Wed, 00 Apr 2024 00:00:00 GMT',
  'Tue, 15 Nov 2022 10:14:02 GMT ',
])('%j is no HTTP date', (text) => {
  expect(readHttpDate(text)).toBeUndefined()
})

test('A written date is an IMF-fixdate and reads back', () => {
  const date = new Date('2022-11-05T10:04:02.000Z')
  expect(writeHttpDate(date)).toBe('Sat, 05 Nov 2022 10:04:02 GMT')
  expect(readHttpDate(writeHttpDate(date))).toEqual(date)
})
