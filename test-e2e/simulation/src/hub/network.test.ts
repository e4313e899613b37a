import { expect, test } from '@jest/globals'
import { openLog } from '@causeway/process'
import { now_ms, Owner, ownerNow } from '../virtual/world.ts'
import { Network } from './network.ts'

const log = openLog({ name: 'test', level: 'silent' })
const put = { method: 'PUT', url: '/transfers/1', headers: {}, body: Buffer.from('{"a":1}') }

function open() {
  const owner = new Owner('hub 1')
  const network = new Network(owner, () => Promise.reject(new Error('nothing is outside')))
  const owners: (Owner | undefined)[] = []
  const bodies: string[] = []
  const handler: Parameters<Network['http']['serve']>[0]['handler'] = (request, response) => {
    owners.push(ownerNow())
    request.on('data', (chunk: Buffer) => bodies.push(chunk.toString()))
    request.on('end', () => {
      owners.push(ownerNow())
      response.writeHead(202).end('taken')
    })
  }
  const serve = () => network.http.serve({ name: 'test', host: '', port: 0, log, handler })
  return { owner, network, owners, bodies, serve }
}

test('A request is handled as a part of the process, by its clock', async () => {
  const { owner, network, owners, bodies, serve } = open()
  await serve()
  owner.ahead_ms = 1_000
  const received: number[] = []
  const answer = await network.receive('test', put, (ms) => received.push(ms))
  expect(answer).toEqual({ status: 202, body: 'taken' })
  expect(bodies).toEqual(['{"a":1}'])
  expect(owners).toEqual([owner, owner])
  expect(received).toEqual([now_ms() + 1_000, now_ms()])
})

test('Nobody answers where no server listens, or whose process is dead', async () => {
  const { owner, network, owners, serve } = open()
  expect(await network.receive('test', put, () => undefined)).toBeUndefined()
  const server = await serve()
  owner.die()
  expect(await network.receive('test', put, () => undefined)).toBeUndefined()
  await server.stop()
  expect(owners).toEqual([])
})
