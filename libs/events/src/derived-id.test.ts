import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { v5 } from 'uuid'
import { derivedId } from './derived-id.ts'

test('A derived id is the UUIDv5 of its cause, name and part', () => {
  const text = fc.string({ unit: 'grapheme' })
  fc.assert(
    fc.property(text, text, text, (causeId, name, leg) => {
      const namespace = '5b0a62a0-6c1c-4c33-9d0e-3e6d2f7f6a51'
      expect(derivedId(causeId, name, leg)).toBe(v5(`${causeId}/${name}/${leg}`, namespace))
    }),
  )
})

test('A missing part equals the empty part, and earlier derived ids do not change', () => {
  expect(derivedId('cause', 'NotifyRequested')).toBe(derivedId('cause', 'NotifyRequested', ''))
  expect(derivedId('0190c1f2-1111-4222-8333-444455556666', 'NotifyRequested', 'PAYEE POST')).toBe(
    'e109a8d4-69ba-53aa-b119-4eaef76166d5',
  )
})
