import { conditionOf, errorInformation } from '@causeway/fspiop'
import { expect, test } from '@jest/globals'
import { verdictOfError, verdictOfState } from './verdict.ts'

const fulfilment = 'UNlJ98hZTY_dsw0cAqw4i_UN3v4utt7CZFB4yfLbVFA'
const condition = conditionOf(fulfilment)

test('COMMITTED with the fulfilment of the condition is final', () => {
  expect(verdictOfState({ transferState: 'COMMITTED', fulfilment }, condition)).toEqual({
    state: 'COMMITTED',
    fulfilment,
    completedTimestamp: undefined,
    extensions: new Map(),
  })
})

test.each([undefined, conditionOf(condition)])(
  'COMMITTED with the fulfilment %s is not final',
  (other) => {
    const body = { transferState: 'COMMITTED' as const, ...(other && { fulfilment: other }) }
    expect(verdictOfState(body, condition).state).toBe('DISBELIEVED')
  },
)

test.each(['RECEIVED', 'RESERVED'] as const)('The state %s is not final', (transferState) => {
  expect(verdictOfState({ transferState }, condition).state).toBe('OPEN')
})

test.each([
  ['3303: Transfer expired', { errorCode: '3303', errorDescription: 'Transfer expired' }],
  ['5104: no: never', { errorCode: '5104', errorDescription: 'no: never' }],
  ['because', errorInformation('3000', 'aborted without a cause')],
])('ABORTED for the cause "%s" has its error', (value, error) => {
  const extensionList = { extension: [{ key: 'cause', value }] }
  const body = { transferState: 'ABORTED' as const, extensionList }
  expect(verdictOfState(body, condition)).toEqual({ state: 'ABORTED', error })
})

test.each(['1001', '2001', '2003', '3208'] as const)('The error %s is not final', (code) => {
  expect(verdictOfError(errorInformation(code)).state).toBe('OPEN')
})

test.each(['3100', '3106', '3303', '4001', '5104', '5105'] as const)(
  'The error %s is final',
  (code) => {
    expect(verdictOfError(errorInformation(code)).state).toBe('ABORTED')
  },
)
