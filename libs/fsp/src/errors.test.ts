import { expect, test } from '@jest/globals'
import { errorIn } from './errors.ts'

test('A refusal is read as its error, or as its status when it has no error', () => {
  const error = { errorCode: '3102', errorDescription: 'Missing mandatory element - header date' }
  const body = Buffer.from(JSON.stringify({ errorInformation: error }))
  expect(errorIn({ status: 400, body })).toEqual(error)
  for (const text of ['', 'nginx', '{}', '{"errorInformation":{"errorCode":1}}']) {
    expect(errorIn({ status: 404, body: Buffer.from(text) }).errorDescription).toContain('404')
  }
})
