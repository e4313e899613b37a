import { describe, expect, test } from '@jest/globals'
import { openWaiting, type Waiting } from './waiting.ts'

/** Answers of the database, each given when the test says so. */
function database() {
  const answers: ((fspIds: readonly string[]) => void)[] = []
  const read = () => new Promise<readonly string[]>((resolve) => void answers.push(resolve))
  return { read, answer: (...fspIds: string[]) => answers.shift()?.(fspIds) }
}

/** After a first look that found nothing. */
async function quietly(
  read: () => Promise<readonly string[]>,
  answer: () => void,
): Promise<Waiting> {
  const waiting = openWaiting(read)
  const looked = waiting.refresh(0)
  answer()
  await looked
  return waiting
}

describe('what is known to be parked', () => {
  test('may be for anybody before the first look', () => {
    const { read } = database()
    expect(openWaiting(read).mayHaveParked('greenbank')).toBe(true)
  })

  test('is what the look has found, and what was parked since', async () => {
    const { read, answer } = database()
    const waiting = openWaiting(read)
    const looked = waiting.refresh(0)
    answer('greenbank')
    expect(await looked).toEqual(['greenbank'])
    waiting.noteParked(['bluewallet'])
    const known = ['greenbank', 'bluewallet', 'redpay'].map((fspId) => waiting.mayHaveParked(fspId))
    expect(known).toEqual([true, true, false])
  })

  test('is not forgotten when it was parked while the look was under way', async () => {
    const { read, answer } = database()
    const waiting = await quietly(read, answer)
    waiting.noteParked(['greenbank'])
    const second = waiting.refresh(1)
    expect(waiting.mayHaveParked('greenbank')).toBe(true)
    waiting.noteParked(['bluewallet'])
    answer()
    await second
    expect(waiting.mayHaveParked('bluewallet')).toBe(true)
    expect(waiting.mayHaveParked('greenbank')).toBe(false)
    expect(waiting.isQuiet(2)).toBe(false)
  })

  test('may be for anybody again when dead letters are sent anew, until the next look', async () => {
    const { read, answer } = database()
    const waiting = await quietly(read, answer)
    waiting.invalidate()
    expect(waiting.mayHaveParked('greenbank')).toBe(true)
    const second = waiting.refresh(1)
    waiting.invalidate()
    answer()
    await second
    expect(waiting.mayHaveParked('greenbank')).toBe(true)
    const third = waiting.refresh(2)
    answer()
    await third
    expect(waiting.mayHaveParked('greenbank')).toBe(false)
  })

  test('is not asked for again at once where there is nothing', async () => {
    const { read, answer } = database()
    const waiting = await quietly(read, answer)
    expect([waiting.isQuiet(999), waiting.isQuiet(1_000)]).toEqual([true, false])
    const second = waiting.refresh(1_000)
    answer('greenbank')
    await second
    expect(waiting.isQuiet(1_001)).toBe(false)
  })
})
