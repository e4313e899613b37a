import { X509Certificate } from 'node:crypto'
import { eventually } from '@causeway/process/testing'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { id, message } from './testing/messages.ts'
import { openScheme, type Scheme } from './testing/scheme.ts'
import { openWorld, send, summary, type World } from './testing/world.ts'

const query = message('GET', `/transfers/${id}`)
const day_ms = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * day_ms)

let scheme: Scheme
let world: World | undefined

beforeEach(() => {
  scheme = openScheme()
})

afterEach(async () => {
  await world?.stop()
  world = undefined
  scheme.stop()
})

type Tls = ReturnType<Scheme['client']>

async function openWith(file: string): Promise<World> {
  world = await openWorld({
    ...scheme.settings,
    EDGE_IDENTITY: 'mtls',
    EDGE_TLS_CRL_FILE: file,
    EDGE_TLS_CRL_OVERDUE_D: 7,
    FSPIOP_API_TLS_RENEWAL_MS: 100,
  })
  return world
}

const ask = async ({ edge }: World, tls: Tls) => summary(await send(edge.url, query, tls))
const serialOf = ({ certificate }: Tls) => new X509Certificate(certificate).serialNumber

test('A certificate in the revocation list of its CA is refused, also when it is added later', async () => {
  const [first, second] = [scheme.client('greenbank'), scheme.client('greenbank')]
  const dates = { thisUpdate: inDays(-1), nextUpdate: inDays(1) }
  const opened = await openWith(scheme.revoke({ ...dates, serials: [serialOf(first)] }))
  expect(await ask(opened, first)).toBe('401 3000')
  expect(await ask(opened, second)).toBe('202')
  scheme.revoke({ ...dates, serials: [serialOf(first), serialOf(second)] })
  await eventually(async () => (await ask(opened, second)) === '401 3000' || undefined, 'the list')
})

test('A list that is overdue is used for seven days with an alarm, then no certificate is accepted', async () => {
  const [revoked, good] = [scheme.client('greenbank'), scheme.client('greenbank')]
  const serials = [serialOf(revoked)]
  const dueAgo = (days: number) =>
    scheme.revoke({ thisUpdate: inDays(-30), nextUpdate: inDays(-days), serials })
  const opened = await openWith(dueAgo(6))
  expect(await ask(opened, good)).toBe('202')
  expect(await ask(opened, revoked)).toBe('401 3000')
  const metrics = await opened.parts.metrics.metrics()
  const [, overdue_s = '0'] =
    /^fspiop_api_revocation_list_overdue_seconds (\d+)/m.exec(metrics) ?? []
  expect(Number(overdue_s) * 1_000).toBeGreaterThanOrEqual(6 * day_ms - 1_000)
  dueAgo(8)
  await eventually(async () => (await ask(opened, good)) === '503 2003' || undefined, 'the end')
  expect(await ask(opened, revoked)).toBe('401 3000')
})

test('An edge does not start with a list that its CA has not signed', async () => {
  const other = openScheme()
  const file = other.revoke({ serials: [], thisUpdate: inDays(-1), nextUpdate: inDays(1) })
  await expect(openWith(file)).rejects.toThrow('none of the CAs has signed it')
  other.stop()
})
