import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Service } from '@causeway/process'
import { operatorsService } from '@causeway/protos'
import { openTestParts, type TestParts } from '@causeway/runtime/testing'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { start } from '../../service.ts'
import { authSettings } from '../../testing/world.ts'

const folder = mkdtempSync(join(tmpdir(), 'causeway-passwords-'))
const [first, second] = [join(folder, 'first'), join(folder, 'second')]
const [firstPassword, secondPassword] = [
  'first password in the file',
  'second password in the file',
]

let parts: TestParts
let service: Service

beforeEach(async () => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(first, firstPassword)
  writeFileSync(second, secondPassword)
  parts = await openTestParts()
  service = await startOn(parts)
})

afterEach(async () => {
  await service.stop()
  await parts.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

function startOn(on: TestParts): Promise<Service> {
  return start(
    authSettings({
      AUTH_SERVICE_FIRST_PASSWORD_FILE: first,
      AUTH_SERVICE_SECOND_PASSWORD_FILE: second,
      AUTH_SERVICE_PASSWORD_COST: '10',
    }),
    on,
  )
}

test('The file of a first password is there until its operator changes it, and is removed when a start finds it again', async () => {
  const operators = parts.grpc.client(operatorsService, 'auth-service')
  const change = { name: 'administrator', oldPassword: firstPassword }
  const newPassword = 'quite another long one'
  const { refusal } = await operators.ChangePassword({ ...change, newPassword: 'short' })
  expect([refusal?.reason, existsSync(first)]).toEqual(['INVALID', true])
  expect(await operators.ChangePassword({ ...change, newPassword })).toEqual({})
  expect([existsSync(first), existsSync(second)]).toEqual([false, true])
  await operators.ResetOperatorSecret({ name: 'administrator2', actor: 'administrator' })
  expect(existsSync(second)).toBe(false)

  writeFileSync(first, 'a password that is not set')
  writeFileSync(second, 'a password that is not set')
  await service.stop()
  parts = await parts.restart()
  service = await startOn(parts)
  expect([existsSync(first), existsSync(second)]).toEqual([false, false])
})

test('A start leaves the files of first passwords that are valid', async () => {
  await service.stop()
  parts = await parts.restart()
  service = await startOn(parts)
  expect([existsSync(first), existsSync(second)]).toEqual([true, true])
})
