import { describe, expect, test } from '@jest/globals'
import { openWaiting, type ParkedFsps } from './waiting.ts'

/** A database that answers on command. */
function database() {
  const answers: ((fspIds: readonly string[]) => void)[] = []
  const read = () => new Promise<readonly string[]>((resolve) => void answers.push(resolve))
  return { read, answer: (...fspIds: string[]) => answers.shift()?.(fspIds) }
}

/** After a first refresh that found nothing. */
async function quietly(
  read: () => Promise<readonly string[]>,
  answer: () => void,
): Promise<ParkedFsps> {
  const waiting = openWaiting(read)
  const looked = waiting.refresh(0)
  answer()
  await looked
  return waiting
}

describe('FSPs with parked notifications', () => {
  test('Before the first refresh notifications may be parked for any FSP', () => {
    const { read } = database()
    expect(openWaiting(read).mayHaveParked('greenbank')).toBe(true)
  })

  test('After a refresh only the FSPs found, and those parked for since, may have any', async () => {
    const { read, answer } = database()
    const waiting = openWaiting(read)
    const looked = waiting.refresh(0)
    answer('greenbank')
    expect(await looked).toEqual(['greenbank'])
    waiting.noteParked(['bluewallet'])
    const known = ['greenbank', 'bluewallet', 'redpay'].map((fspId) => waiting.mayHaveParked(fspId))
    expect(known).toEqual([true, true, false])
  })

  test('A notification parked during a refresh is not forgotten', async () => {
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

  test('After an invalidation any FSP may have parked notifications until the next refresh', async () => {
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

  test('An empty result is cached for a while', async () => {
    const { read, answer } = database()
    const waiting = await quietly(read, answer)
    expect([waiting.isQuiet(999), waiting.isQuiet(1_000)]).toEqual([true, false])
    const second = waiting.refresh(1_000)
    answer('greenbank')
    await second
    expect(waiting.isQuiet(1_001)).toBe(false)
  })
})
