import { expect, test } from '@jest/globals'
import { permittedIn, readStates, type States } from './participant-states.ts'

function read(text: string): States {
  const states = readStates(text)
  if (typeof states === 'string') throw new Error(states)
  return states
}

test('A scheme defines its states and what each permits', () => {
  const states = read('ACTIVE=TRANSFERS+FUNDS_IN; INACTIVE=; DORMANT = FUNDS_OUT ')
  expect([...permittedIn(states, 'ACTIVE')]).toEqual(['TRANSFERS', 'FUNDS_IN'])
  expect([...permittedIn(states, 'INACTIVE')]).toEqual([])
  expect([...permittedIn(states, 'DORMANT')]).toEqual(['FUNDS_OUT'])
})

test('A state that the scheme no longer has permits nothing', () => {
  expect(permittedIn(read('ACTIVE=TRANSFERS;INACTIVE='), 'DORMANT').size).toBe(0)
})

test.each([
  ['ACTIVE;INACTIVE=', "'ACTIVE' is not of the form STATE=PERMISSION+PERMISSION"],
  ['ACTIVE=TRANSFERS;ACTIVE=;INACTIVE=', 'ACTIVE is listed twice'],
  ['ACTIVE=FLYING;INACTIVE=', 'FLYING is none of TRANSFERS, FUNDS_IN, FUNDS_OUT'],
  ['ACTIVE=FUNDS_IN;INACTIVE=', 'ACTIVE must permit TRANSFERS'],
  ['ACTIVE=TRANSFERS', 'INACTIVE must be there and must not permit TRANSFERS'],
  ['ACTIVE=TRANSFERS;INACTIVE=TRANSFERS', 'INACTIVE must be there and must not permit TRANSFERS'],
  ['active=TRANSFERS', "'active=TRANSFERS' is not of the form STATE=PERMISSION+PERMISSION"],
])('%s is refused with a sentence', (text, sentence) => {
  expect(readStates(text)).toBe(sentence)
})
