/** Over gRPC between processes: only there a service is still starting. */
import { openGrpcHost, type OpenGrpcHost } from '@causeway/grpc'
import { openLog } from '@causeway/process'
import { afterEach, expect, test } from '@jest/globals'
import { openFspCertificates } from './fsp-certificates.ts'

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
