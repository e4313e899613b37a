import { expect, test } from '@jest/globals'
import { aged } from './aged.ts'

function open(age_max_ms: number, answers: Map<string, string>) {
  const asked: string[][] = []
  const time = { now_ms: 0 }
  const memory = aged<string>({
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

test('an answer is served from memory until it has its age, each by its own', async () => {
  const { memory, time } = open(
    100,
    new Map([
      ['a', '1'],
      ['b', '2'],
    ]),
  )
  await memory.ask(['a'])
  time.now_ms = 60
  await memory.ask(['b'])
  time.now_ms = 99
  expect([memory.peek('a'), memory.peek('b')]).toEqual(['1', '2'])
  time.now_ms = 100
  expect([memory.peek('a'), memory.peek('b')]).toEqual([undefined, '2'])
})

test('the age counts from the question, not from the answer', async () => {
  const time = { now_ms: 0 }
  const memory = aged<string>({
    entries_max: 10,
    age_max_ms: 100,
    clock: () => time.now_ms,
    load() {
      time.now_ms = 70
      return Promise.resolve(new Map([['a', '1']]))
    },
  })
  await memory.ask(['a'])
  expect(memory.peek('a')).toBe('1')
  time.now_ms = 100
  expect(memory.peek('a')).toBeUndefined()
})

test('whoever asks gets an answer of now, and the age begins anew', async () => {
  const answers = new Map([['a', '1']])
  const { memory, time, asked } = open(100, answers)
  await memory.ask(['a'])
  answers.set('a', '2')
  time.now_ms = 50
  expect(await memory.ask(['a'])).toEqual(new Map([['a', '2']]))
  time.now_ms = 149
  expect(memory.peek('a')).toBe('2')
  expect(asked).toEqual([['a'], ['a']])
})

test('that there is no answer is not remembered', async () => {
  const answers = new Map<string, string>()
  const { memory } = open(100, answers)
  expect(await memory.ask(['a'])).toEqual(new Map())
  expect(memory.peek('a')).toBeUndefined()
  answers.set('a', '1')
  expect(await memory.ask(['a'])).toEqual(new Map([['a', '1']]))
})

test('what was forgotten does not come back with an answer to an older question', async () => {
  let answer: ((values: ReadonlyMap<string, string>) => void) | undefined
  const memory = aged<string>({
    entries_max: 10,
    age_max_ms: 100,
    clock: () => 0,
    load: () => new Promise((resolve) => (answer = resolve)),
  })
  const asked = memory.ask(['a'])
  memory.forget('a')
  answer?.(new Map([['a', 'old']]))
  await asked
  expect(memory.peek('a')).toBeUndefined()
})

test('with an age of nothing, nothing is remembered', async () => {
  const { memory } = open(0, new Map([['a', '1']]))
  expect(await memory.ask(['a'])).toEqual(new Map([['a', '1']]))
  expect(memory.peek('a')).toBeUndefined()
})
