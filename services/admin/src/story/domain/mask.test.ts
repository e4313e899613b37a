import { expect, test } from '@jest/globals'
import { maskedIdentifier, maskedText } from './mask.ts'

test('The last characters of a long identifier remain, and none of a short one', () => {
  expect(maskedIdentifier('22507008181')).toBe('•••••8181')
  expect(maskedIdentifier('alice')).toBe('•••••')
  expect(maskedIdentifier('')).toBe('•••••')
})

test('Identifiers and sub-ids of a path are masked, and the rest of the path stays', () => {
  expect(maskedText('https://greenbank.example/parties/MSISDN/22507008181')).toBe(
    'https://greenbank.example/parties/MSISDN/•••••8181',
  )
  expect(maskedText('/parties/BUSINESS/SHOES.GH/SUB99/error')).toBe(
    '/parties/BUSINESS/•••••.GH/•••••/error'.replace('•••••.GH', maskedIdentifier('SHOES.GH')),
  )
  expect(maskedText('PUT /participants/IBAN/DE02120300000000202051/error')).toBe(
    'PUT /participants/IBAN/•••••2051/error',
  )
})

test('Telephone numbers and e-mail addresses in a text are masked, wherever they are', () => {
  expect(maskedText('no party +22507008181, ask ann@example.org')).toBe(
    'no party •••••8181, ask •••••.org',
  )
})

test('Ids of payments, amounts and times stay', () => {
  const text =
    '85feac2f-39b2-491b-817e-4a03203d4f14 01ARZ3NDEKTSV4RRFFQ69G5FAV 1000.25 USD 2026-08-01T10:00:00.000Z 3204'
  expect(maskedText(text)).toBe(text)
})
