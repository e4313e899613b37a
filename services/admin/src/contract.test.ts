import { expect, test } from '@jest/globals'
import { refused } from './answer.ts'
import { errorAnswer, type Compatibility, type Reason } from './contract.ts'

function answerOf(reason: Reason, detail = '', compatibility: Compatibility = 'specification') {
  return errorAnswer(refused(reason, detail), compatibility)
}

test('A refusal has its code, the text of the code and the detail', () => {
  expect(answerOf('PARTICIPANT_UNKNOWN', 'there is no participant x')).toEqual({
    status: 404,
    body: {
      errorInformation: {
        errorCode: '3200',
        errorDescription: 'Generic ID not found - there is no participant x',
      },
    },
  })
})

test('The description has at most 128 characters', () => {
  const { body } = answerOf('INVALID', 'x'.repeat(500))
  expect(JSON.stringify(body)).toContain(`"Generic validation error - ${'x'.repeat(101)}"`)
})

test('6000 is a settlement error in this API', () => {
  expect(answerOf('NO_SETTLEMENT_MODEL', 'USD').body).toEqual({
    errorInformation: { errorCode: '6000', errorDescription: 'Settlement error - USD' },
  })
})

test.each([
  ['PARTICIPANT_UNKNOWN', 404, '3200', 400, '3200'],
  ['LIMITS_EXIST', 400, '3000', 500, '2001'],
  ['CURRENCY_EXISTS', 400, '3000', 400, '3000'],
  ['ORACLE_EXISTS', 400, '3100', 500, '2001'],
  ['ORACLE_UNKNOWN', 404, '3200', 400, '3003'],
  ['HUB_ACCOUNTS_MISSING', 400, '3003', 400, '3003'],
  ['NOT_BUILT', 501, '2002', 501, '2002'],
  ['METHOD_UNKNOWN', 405, '3000', 405, '3000'],
  ['FAULT', 500, '2001', 500, '2001'],
] as const)('%s is %i/%s, and with COMPATIBILITY=mojaloop %i/%s', (reason, ...expected) => {
  const codes = (['specification', 'mojaloop'] as const).flatMap((compatibility) => {
    const { status, body } = answerOf(reason, '', compatibility)
    const { errorInformation } = body as { errorInformation: { errorCode: string } }
    return [status, errorInformation.errorCode]
  })
  expect(codes).toEqual(expected)
})
