import { openLog, openMetrics } from '@causeway/process'
import { eventually } from '@causeway/process/testing'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { startRedis, type RedisServer } from '../testing/redis-server.ts'
import { openRedisMemory, type RedisMemory } from './redis.ts'
import type { Use } from './shared-memory.ts'

const timeout_ms = 50
const log = openLog({ name: 'test', level: 'silent' })
let server: RedisServer
const opened: RedisMemory[] = []

beforeEach(async () => {
  server = await startRedis()
})

afterEach(async () => {
  for (const memory of opened.splice(0)) memory.stop()
  await server.kill()
})

function open(): RedisMemory {
  const metrics = openMetrics({ ofProcess: false })
  const memory = openRedisMemory({ url: server.url, prefix: 'test:', timeout_ms, log, metrics })
  opened.push(memory)
  return memory
}

/** An edge whose counts the test sets. */
function edge() {
  const admitted = new Map<string, number>()
  const atWork = new Map<string, number>()
  const elsewhere = { admitted: 0, atWork: 0, alone: 0 }
  const use: Use = {
    admitted: () => admitted,
    atWork: () => atWork,
    learn(_name, others) {
      elsewhere.admitted += others.admitted
      elsewhere.atWork = others.atWork
    },
    alone() {
      elsewhere.alone++
      elsewhere.atWork = 0
    },
  }
  const admit = (count: number) => admitted.set('a', (admitted.get('a') ?? 0) + count)
  return { use, admit, atWork, elsewhere }
}

/** Two edges that have exchanged their counts. */
async function twoEdges() {
  const [one, other] = [edge(), edge()]
  open().shareUse('edges', one.use)
  open().shareUse('edges', other.use)
  for (const each of [one, other]) each.atWork.set('a', 1)
  await eventually(() => one.elsewhere.atWork === 1 && other.elsewhere.atWork === 1, 'each other')
  return [one, other] as const
}

test('Each edge receives what the others have admitted and in work, but not its own counts', async () => {
  const [one, other] = await twoEdges()
  one.admit(7)
  other.admit(3)
  one.atWork.set('a', 5)
  await eventually(() => other.elsewhere.admitted === 7 && other.elsewhere.atWork === 5, 'the one')
  await eventually(() => one.elsewhere.admitted === 3, 'the other')
  one.atWork.delete('a')
  await eventually(() => other.elsewhere.atWork === 0, 'the end of its work')
  one.admit(1)
  await eventually(() => other.elsewhere.admitted === 8, 'one more')
  expect(one.elsewhere.admitted).toBe(3)
})

test('Some seconds after an edge is killed it counts as having nothing in work', async () => {
  const [one] = await twoEdges()
  opened.pop()?.stop()
  await eventually(() => one.elsewhere.atWork === 0, 'the end of the killed edge')
})

test('While Redis is away each edge uses its own counts, and they share again when it is back', async () => {
  const [one, other] = await twoEdges()
  await server.kill()
  await eventually(() => one.elsewhere.alone > 0 && other.elsewhere.alone > 0, 'both alone')
  one.admit(2)
  await server.start()
  await eventually(() => one.elsewhere.atWork === 1 && other.elsewhere.atWork === 1, 'each other')
  const before = other.elsewhere.admitted
  one.admit(4)
  await eventually(() => other.elsewhere.admitted >= before + 4, 'the counts after the outage')
  expect(other.elsewhere.admitted).toBeLessThanOrEqual(before + 6)
})

test('The connection to a Redis that hangs is closed, so that unanswered commands do not queue', async () => {
  const metrics = openMetrics({ ofProcess: false })
  const memory = openRedisMemory({ url: server.url, prefix: 'test:', timeout_ms, log, metrics })
  opened.push(memory)
  const { use, atWork } = edge()
  memory.shareUse('edges', use)
  atWork.set('a', 1)
  const isUp = async () => (await metrics.metrics()).includes('\nredis_up 1\n')
  await eventually(isUp, 'the connection')
  server.freeze()
  await eventually(async () => !(await isUp()), 'its end')
  server.goOn()
  await eventually(isUp, 'the next connection')
})

test('A value that one process caches is read by another, until it is removed or too old', async () => {
  const [one, other] = [open(), open()]
  const recalled = async (key: string) => (await other.recall([key, 'unknown'])).get(key)
  await eventually(async () => {
    one.remember(new Map([['party', 'greenbank']]), 60_000)
    return (await recalled('party')) === 'greenbank'
  }, 'the memory')
  one.forget(['party'])
  await eventually(async () => (await recalled('party')) === undefined, 'that it is forgotten')
  one.remember(new Map([['party', 'bluewallet']]), 100)
  await eventually(async () => (await recalled('party')) === 'bluewallet', 'the new one')
  await eventually(async () => (await recalled('party')) === undefined, 'its age')
})

test.each(['is dead', 'does not answer'])(
  'No call waits longer than the bound for a Redis that %s',
  async (how) => {
    const memory = open()
    memory.remember(new Map([['party', 'greenbank']]), 60_000)
    await eventually(async () => {
      memory.remember(new Map([['party', 'greenbank']]), 60_000)
      return (await memory.recall(['party'])).size === 1
    }, 'the connection')
    if (how === 'is dead') await server.kill()
    else server.freeze()
    const began_ms = performance.now()
    for (let at = 0; at < 5; at++) {
      expect((await memory.recall(['party'])).size).toBe(0)
      memory.remember(new Map([['party', 'greenbank']]), 60_000)
      memory.forget(['other'])
    }
    // Five times the bound, and time for a busy machine.
    expect(performance.now() - began_ms).toBeLessThan(5 * timeout_ms + 1_000)
    if (how === 'is dead') await server.start()
    else server.goOn()
    await eventually(async () => {
      memory.remember(new Map([['party', 'greenbank']]), 60_000)
      return (await memory.recall(['party'])).size === 1
    }, 'its return')
  },
)
