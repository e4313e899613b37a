import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'

const program = fileURLToPath(new URL('../../dist/distributed/group.js', import.meta.url))

/** The exit code and what is written to stderr. */
function startWith(
  environment: Readonly<Record<string, string>>,
): Promise<readonly [unknown, string]> {
  return new Promise((resolve) => {
    const env = { PATH: process.env['PATH'], ...environment }
    execFile(process.execPath, [program], { env }, (error, _stdout, stderr) =>
      resolve([error?.code, stderr]),
    )
  })
}

test.each([{}, { SERVICES: '' }, { SERVICES: 'path,payments' }])(
  'A process without services, or with one that does not exist, says which there are: %j',
  async (environment) => {
    const [code, text] = await startWith(environment)
    expect(code).toBe(1)
    expect(text).toMatch(
      /^SERVICES names no service, or an unknown one: there are path, platform, /,
    )
  },
)

test('A process of several services needs the settings of each, and addresses of none of its own', async () => {
  const [code, text] = await startWith({ SERVICES: 'quoting,account-lookup' })
  expect(code).toBe(1)
  expect(text).toContain('PARTICIPANT_LIFECYCLE_GRPC_URL')
  expect(text).not.toContain('ACCOUNT_LOOKUP_GRPC_URL')
})
