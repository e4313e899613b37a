import { expect, test } from '@jest/globals'
import { judgeMail } from './mail-verdict.ts'

const failed = { type: 'FAILED', replyCode: null, isAccessDenied: false, reason: 'why' } as const

test('An e-mail that the server accepts is delivered', () => {
  expect(judgeMail({ type: 'ACCEPTED' })).toEqual({ type: 'DELIVERED', healthy: true, error: '' })
})

test.each([
  ['550, no such mailbox', { ...failed, replyCode: 550 }, 'GIVEN_UP', true],
  ['450, mailbox busy', { ...failed, replyCode: 450 }, 'TRY_AGAIN', true],
  ['421, closing', { ...failed, replyCode: 421 }, 'TRY_AGAIN', false],
  ['535, wrong password', { ...failed, replyCode: 535, isAccessDenied: true }, 'TRY_AGAIN', false],
  ['no answer', failed, 'TRY_AGAIN', false],
] as const)(
  'The verdict on an e-mail depends on the reply code: %s',
  (_case, answer, type, healthy) => {
    expect(judgeMail(answer)).toEqual({ type, healthy, error: 'why' })
  },
)
