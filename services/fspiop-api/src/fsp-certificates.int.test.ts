/** Over gRPC between processes: only there services of two releases meet. */
import { openGrpcHost, type OpenGrpcHost } from '@causeway/grpc'
import { openLog } from '@causeway/process'
import { credentialsService } from '@causeway/protos'
import { afterEach, expect, test } from '@jest/globals'
import { openFspCertificates } from './fsp-certificates.ts'
import { notAsked } from './testing/auth.ts'

const log = openLog({ name: 'test', level: 'silent' })
const opened: { stop(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.stop()
})

async function openHost(addressOf?: () => string): Promise<OpenGrpcHost> {
  const host = await openGrpcHost({
    log,
    listen: '127.0.0.1:0',
    ...(addressOf === undefined ? {} : { addressOf }),
  })
  opened.push(host)
  return host
}

test('While auth-service is of an older release, it cannot tell which certificates are registered, and one line of the log says so', async () => {
  const provider = await openHost()
  const { GetCertificates, ...older } = credentialsService
  provider.serve(older, {
    ...notAsked(older),
    GetTokenKeys: () => Promise.resolve({ jwksJson: '{"keys":[]}' }),
  })
  const lines: string[] = []
  const certificates = openFspCertificates({
    grpc: await openHost(() => provider.address),
    log: openLog({
      name: 'test',
      level: 'warn',
      destination: { write: (line) => void lines.push(line) },
    }),
    age_max_ms: 60_000,
    now_ms: Date.now,
  })
  opened.push(certificates)
  expect(GetCertificates).toBeDefined()
  expect(await certificates.stateOf('greenbank', 'ab')).toBe('UNTOLD')
  certificates.forgetAll()
  expect(await certificates.stateOf('bluewallet', 'ab')).toBe('UNTOLD')
  expect(lines).toEqual([expect.stringContaining('auth-service is of an older release')])
})

test('While auth-service is still starting, nothing is known of a certificate', async () => {
  const provider = await openHost()
  const certificates = openFspCertificates({
    grpc: await openHost(() => provider.address),
    log,
    age_max_ms: 60_000,
    now_ms: Date.now,
  })
  opened.push(certificates)
  await expect(certificates.stateOf('greenbank', 'ab')).rejects.toThrow('UNIMPLEMENTED')
})
