import { newEvent } from '@causeway/events'
import { eventually } from '@causeway/process/testing'
import { expect, test } from '@jest/globals'
import { id, message, transferBody, transferFulfilment, withHeaders } from '../testing/messages.ts'
import { openWorld, participant, send, type EdgeWorld } from '../testing/world.ts'

const fulfil = message('PUT', `/transfers/${id}`, transferFulfilment)

function prepare(payerFsp = 'greenbank') {
  const sent = { ...message('POST', '/transfers'), body: transferBody({ payerFsp }) }
  return withHeaders(sent, { 'fspiop-source': payerFsp })
}

async function withWorld(work: (world: EdgeWorld) => Promise<void>): Promise<void> {
  const world = await openWorld()
  try {
    await work(world)
  } finally {
    await world.stop()
  }
}

test('A participant is read again before it is refused, but not for each message', async () => {
  await withWorld(async ({ edge, register }) => {
    const statusOf = async (payer?: string) => (await send(edge.url, prepare(payer))).status
    for (let at = 0; at < 5; at++) expect(await statusOf()).toBe(202)
    expect(register.asked).toBe(1)
    register.participants.set('sleeper', participant('sleeper'))
    expect(await statusOf('sleeper')).toBe(202)
    register.participants.set('newcomer', participant('newcomer'))
    expect(await statusOf('newcomer')).toBe(202)
  })
})

test('A cached participant is used until a change event, for concurrent requests too', async () => {
  await withWorld(async ({ edge, register, parts }) => {
    const ask = () => send(edge.url, prepare())
    expect((await ask()).status).toBe(202)
    register.participants.set('greenbank', participant('greenbank', { isActive: false }))
    await parts.bus.publish([
      newEvent('participant-lifecycle', 'ParticipantStateUpdated', {
        participantId: 'greenbank',
        oldState: 'ACTIVE',
        newState: 'INACTIVE',
        isActive: false,
        version: 2,
        changedAt: new Date().toISOString(),
      }),
    ])
    const refusedAt = await eventually(async () => {
      const answers = await Promise.all([ask(), ask()])
      return answers.every(({ status }) => status === 400) ? answers : undefined
    }, 'both refused')
    for (const { error } of refusedAt) expect(error?.errorCode).toBe('3100')
    const asked = register.asked
    await Promise.all([ask(), ask()])
    expect(register.asked - asked).toBeLessThanOrEqual(2)
    const own = withHeaders(fulfil, { 'fspiop-source': 'greenbank' })
    expect((await send(edge.url, own)).status).toBe(200)
  })
})

test('A message counts as received at its last byte, however long its sender is looked up', async () => {
  await withWorld(async ({ edge, register, received }) => {
    const asked = register.asked
    let release = () => undefined as void
    register.held = new Promise((resolve) => (release = resolve))
    register.participants.set('newcomer', participant('newcomer'))
    const sent = send(edge.url, prepare('newcomer'))
    await eventually(() => register.asked > asked, 'its sender is looked up')
    const lookedUp_ms = Date.now()
    await eventually(() => Date.now() > lookedUp_ms + 50, 'some time has passed')
    release()
    expect((await sent).status).toBe(202)
    const message = await eventually(
      () => received.find(({ type }) => type === 'TransferPrepareRequested'),
      'its event',
    )
    const { receivedAt } = message.payload as { readonly receivedAt: string }
    expect(Date.parse(receivedAt)).toBeLessThan(lookedUp_ms + 50)
  })
})
