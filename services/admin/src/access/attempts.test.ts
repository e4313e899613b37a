import { expect, test } from '@jest/globals'
import { delayOf, openAttempts } from './attempts.ts'

function open() {
  const waits: number[] = []
  let now_ms = 0
  const attempts = openAttempts(
    (ms) => {
      waits.push(ms)
      return Promise.resolve()
    },
    () => now_ms,
  )
  return {
    ...attempts,
    waits,
    pass: (ms: number) => {
      now_ms += ms
    },
  }
}

const stranger = { address: '192.0.2.1', name: 'ada' }
const owner = { address: '192.0.2.2', name: 'ada' }

test('The delay begins after the free failures, doubles, and has a bound', () => {
  expect([0, 2, 3, 4, 5, 6, 7, 50].map((failures) => delayOf(failures, 3))).toEqual([
    0, 0, 250, 500, 1_000, 2_000, 4_000, 4_000,
  ])
})

test('A stranger who guesses is delayed, and the owner of the name at another address is not', async () => {
  const { admit, failed, waits } = open()
  for (let n = 0; n < 5; n += 1) failed(stranger)
  expect(await admit(stranger)).toBe(true)
  expect(waits).toEqual([1_000])
  expect(await admit(owner)).toBe(true)
  expect(waits).toEqual([1_000])
})

test('Guessing many names from one address is delayed as well', async () => {
  const { admit, failed, waits } = open()
  for (let n = 0; n < 61; n += 1) failed({ ...stranger, name: `name-${n}` })
  await admit({ ...stranger, name: 'another' })
  expect(waits).toEqual([500])
})

test('A success ends the delay of the name, and a minute ends every delay', async () => {
  const { admit, failed, succeeded, pass, waits } = open()
  for (let n = 0; n < 4; n += 1) failed(stranger)
  succeeded(stranger)
  await admit(stranger)
  for (let n = 0; n < 4; n += 1) failed(stranger)
  pass(60_000)
  await admit(stranger)
  expect(waits).toEqual([])
})

function openHeld() {
  const held: (() => void)[] = []
  const attempts = openAttempts(() => new Promise<void>((done) => held.push(done)))
  const guess = (address: string) => {
    for (let n = 0; n < 4; n += 1) attempts.failed({ ...stranger, address })
  }
  return { ...attempts, held, guess }
}

test('At most a hundred log-ins wait, and the next one is refused', async () => {
  const { admit, held, guess } = openHeld()
  const addresses = Array.from({ length: 21 }, (_, n) => `192.0.2.${n}`)
  for (const address of addresses) guess(address)
  const waiting = addresses
    .slice(0, 20)
    .flatMap((address) => Array.from({ length: 5 }, () => admit({ ...stranger, address })))
  const another = { ...stranger, address: '192.0.2.20' }
  expect(await admit(another)).toBe(false)
  for (const release of held) release()
  expect(await Promise.all(waiting)).toEqual(Array(100).fill(true))
  const next = admit(another)
  held.at(-1)?.()
  expect(await next).toBe(true)
})

test('Of one address at most five wait, so that others find room', async () => {
  const { admit, held, guess } = openHeld()
  guess(stranger.address)
  guess('192.0.2.9')
  const waiting = Array.from({ length: 5 }, () => admit(stranger))
  expect(await admit(stranger)).toBe(false)
  const another = admit({ ...stranger, address: '192.0.2.9' })
  expect(held).toHaveLength(6)
  for (const release of held) release()
  expect(await Promise.all([...waiting, another])).toEqual(Array(6).fill(true))
  const next = admit(stranger)
  held.at(-1)?.()
  expect(await next).toBe(true)
})

test('A burst of log-ins gets no further than as many one after the other', async () => {
  const { admit, ended, held } = openHeld()
  const nameless = { ...stranger, name: '' }
  const burst = Array.from({ length: 200 }, () => admit(nameless))
  for (const release of held) release()
  const admitted = (await Promise.all(burst)).filter(Boolean)
  // Sixty at once, and five that waited.
  expect([admitted.length, held.length]).toEqual([65, 5])
  for (const _ of admitted) ended(nameless)
  expect(await admit(nameless)).toBe(true)
})

test('One address cannot begin as many log-ins in a minute as would fill the room of all', async () => {
  const { admit, ended, failed, waits } = open()
  for (let n = 0; n < 200; n += 1) {
    await admit({ ...stranger, name: '' })
    failed({ ...stranger, name: '' })
    ended({ ...stranger, name: '' })
  }
  const longest = waits.filter((ms) => ms === 4_000).length
  expect(longest).toBeGreaterThan(130)
})
