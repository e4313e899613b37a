import type { EventBus, OutgoingMessage } from '@causeway/bus'
import { auditEntry, newEvent, signedContentOf, type AuditPayload } from '@causeway/events'
import { withOrigin } from '@causeway/process'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { signedEntries } from './signed-entries.ts'
import { makeComponentKey, type TestComponentKey } from './testing.ts'

let component: TestComponentKey

beforeAll(async () => {
  component = await makeComponentKey()
})

afterAll(() => component.remove())

const entry = () =>
  auditEntry('quoting', {
    actor: 'ada',
    action: 'Act',
    subject: 'a',
    before: { left: undefined, amount: '1' },
    after: null,
    at: new Date(0),
  })

async function published(key: TestComponentKey['key'] | undefined, message: OutgoingMessage) {
  const sent: OutgoingMessage[] = []
  const publish = (messages: readonly OutgoingMessage[]) => {
    sent.push(...messages)
    return Promise.resolve()
  }
  await signedEntries({ publish } as EventBus, { key }).publish([message])
  return sent[0]
}

test('The signature of an entry is valid for it after its way through JSON, and for no other', async () => {
  const message = await published(component.key, entry())
  const read = JSON.parse(JSON.stringify(message?.payload)) as AuditPayload
  expect(read.sourceKeyId).toBe(component.key.id)
  const signature = Buffer.from(read.sourceSignature ?? '', 'base64url')
  expect(component.verifies(signedContentOf(read), signature)).toBe(true)
  const forged = { ...read, subject: 'b' }
  expect(component.verifies(signedContentOf(forged), signature)).toBe(false)
})

test('Without a key an entry is published unsigned, and no other event is ever signed', async () => {
  const unsigned = entry()
  expect(await published(undefined, unsigned)).toBe(unsigned)
  const changed = newEvent('config', 'SecretsValuesChanged', {
    boundedContextId: 'quoting',
    version: 1,
    changedKeys: [],
  })
  expect(await published(component.key, changed)).toBe(changed)
})

test('An entry names roles, application and address of the request of its actor alone', async () => {
  const origin = {
    actor: 'ada',
    kind: 'PERSON',
    application: 'admin',
    roles: ['checker', 'viewer'],
    address: '192.0.2.7',
    session: 'session-1',
  } as const
  const within = (actor: string) =>
    withOrigin({ ...origin, actor }, () => Promise.resolve(entry().payload as AuditPayload))
  expect(await within('ada')).toMatchObject({
    callerNetworkSources: [{ family: 'IPv4', address: '192.0.2.7' }],
    securityContext: {
      userId: 'ada',
      appId: 'admin',
      role: 'checker,viewer',
      sessionId: 'session-1',
    },
  })
  const graces = await within('grace')
  expect(graces.securityContext).toEqual({ userId: 'ada' })
  expect(graces.callerNetworkSources).toMatchObject([{ family: 'HOST' }])
})
