/** Tokens of operators that are almost valid: none of them is active, and none is a fault. */
import { changedJson, changedText } from '@causeway/fuzzing'
import type { Calls } from '@causeway/grpc'
import type { Service } from '@causeway/process'
import { operatorsService } from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { start } from '../../service.ts'
import { authSettings } from '../../testing/world.ts'

const password = 'correct horse battery'
let parts: TestParts
let service: Service
let operators: Calls<typeof operatorsService>
let token = ''

beforeAll(async () => {
  parts = await openTestParts()
  service = await start(authSettings({ AUTH_SERVICE_PASSWORD_COST: '10' }), parts)
  operators = parts.grpc.client(operatorsService, 'auth-service')
  const creation = { name: 'ada', kind: 'PERSON' as const, roles: ['viewer'], actor: 'bob' }
  const { operator } = await operators.CreateOperator(creation)
  await operators.ChangePassword({
    name: 'ada',
    oldPassword: operator?.secret ?? '',
    newPassword: password,
  })
  const { session } = await operators.LogIn({ id: 'ada', secret: password })
  token = session?.accessToken ?? ''
})

afterAll(async () => {
  await service.stop()
  await parts.stop()
})

test('A token that is changed anywhere is not active and ends no session, and no call fails', async () => {
  const [header = '', claims = '', signature = ''] = token.split('.')
  const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as object
  const encoded = (json: unknown) => Buffer.from(JSON.stringify(json)).toString('base64url')
  const changed = fc.oneof(
    changedText([token]),
    changedJson(decoded(header)).map((json) => [encoded(json), claims, signature].join('.')),
    changedJson(decoded(claims)).map((json) => [header, encoded(json), signature].join('.')),
  )
  await fc.assert(
    fc.asyncProperty(changed, async (text) => {
      // The last character of the signature has bits that mean nothing.
      if (text.slice(0, -1) === token.slice(0, -1)) return
      expect(await operators.CheckToken({ accessToken: text })).toMatchObject({ active: false })
      const { refusal } = await operators.LogOut({ accessToken: text })
      expect(refusal?.reason).toBe('TOKEN_INVALID')
    }),
    { numRuns: 200 },
  )
  expect(await operators.CheckToken({ accessToken: token })).toMatchObject({ active: true })
})
