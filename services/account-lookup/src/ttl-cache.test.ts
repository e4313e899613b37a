import { expect, test } from '@jest/globals'
import { ttlCache } from './ttl-cache.ts'

function open(age_max_ms: number, answers: Map<string, string>) {
  const asked: string[][] = []
  const time = { now_ms: 0 }
  const memory = ttlCache<string>({
    entries_max: 10,
    age_max_ms,
    clock: () => time.now_ms,
    load(keys) {
      asked.push([...keys])
      return Promise.resolve(new Map([...answers].filter(([key]) => keys.includes(key))))
    },
  })
  return { memory, asked, time }
}

test('An entry is served from the cache until its own maximum age', async () => {
  const { memory, time } = open(
    100,
    new Map([
      ['a', '1'],
      ['b', '2'],
    ]),
  )
  await memory.refresh(['a'])
  time.now_ms = 60
  await memory.refresh(['b'])
  time.now_ms = 99
  expect([memory.peek('a'), memory.peek('b')]).toEqual(['1', '2'])
  time.now_ms = 100
  expect([memory.peek('a'), memory.peek('b')]).toEqual([undefined, '2'])
})

test('The age of an entry counts from the begin of its load, not from its end', async () => {
  const time = { now_ms: 0 }
  const memory = ttlCache<string>({
    entries_max: 10,
    age_max_ms: 100,
    clock: () => time.now_ms,
    load() {
      time.now_ms = 70
      return Promise.resolve(new Map([['a', '1']]))
    },
  })
  await memory.refresh(['a'])
  expect(memory.peek('a')).toBe('1')
  time.now_ms = 100
  expect(memory.peek('a')).toBeUndefined()
})

test('A refresh loads the value again, and the age starts again', async () => {
  const answers = new Map([['a', '1']])
  const { memory, time, asked } = open(100, answers)
  await memory.refresh(['a'])
  answers.set('a', '2')
  time.now_ms = 50
  expect(await memory.refresh(['a'])).toEqual(new Map([['a', '2']]))
  time.now_ms = 149
  expect(memory.peek('a')).toBe('2')
  expect(asked).toEqual([['a'], ['a']])
})

test('An absent value is not cached', async () => {
  const answers = new Map<string, string>()
  const { memory } = open(100, answers)
  expect(await memory.refresh(['a'])).toEqual(new Map())
  expect(memory.peek('a')).toBeUndefined()
  answers.set('a', '1')
  expect(await memory.refresh(['a'])).toEqual(new Map([['a', '1']]))
})

test('A forgotten entry does not return with a load that was already in progress', async () => {
  let answer: ((values: ReadonlyMap<string, string>) => void) | undefined
  const memory = ttlCache<string>({
    entries_max: 10,
    age_max_ms: 100,
    clock: () => 0,
    load: () => new Promise((resolve) => (answer = resolve)),
  })
  const asked = memory.refresh(['a'])
  memory.forget('a')
  answer?.(new Map([['a', 'old']]))
  await asked
  expect(memory.peek('a')).toBeUndefined()
})

test('With a maximum age of 0 nothing is cached', async () => {
  const { memory } = open(0, new Map([['a', '1']]))
  expect(await memory.refresh(['a'])).toEqual(new Map([['a', '1']]))
  expect(memory.peek('a')).toBeUndefined()
})
