import { expect, jest, test } from '@jest/globals'
import { openLog } from '../log.ts'
import { Outage } from '../outage.ts'
import { retrying } from './retrying.ts'

const log = openLog({ name: 'test', level: 'silent' })
const options = { log, what: 'reserve', delay_ms_max: 1 }

function outage(): Outage {
  return new Outage('connection lost')
}

test('A call that fails by an outage is repeated until it succeeds or fails otherwise', async () => {
  let tries = 0
  const answer = await retrying(() => {
    tries++
    return tries < 4 ? Promise.reject(outage()) : Promise.resolve('RESERVED')
  }, options)
  expect([answer, tries]).toEqual(['RESERVED', 4])
})

test('An error that is no outage is thrown at once', async () => {
  let tries = 0
  const call = retrying(() => {
    tries++
    return Promise.reject(new Error('a bug'))
  }, options)
  await expect(call).rejects.toThrow('a bug')
  expect(tries).toBe(1)
})

test('Any error is repeated where every failure is, until the call succeeds or is aborted', async () => {
  let tries = 0
  const everyFailure = true
  const fails = () => Promise.reject(tries++ < 3 ? new Error('a bug') : outage())
  const answer = await retrying(() => (tries < 5 ? fails() : Promise.resolve('REGISTERED')), {
    ...options,
    everyFailure,
  })
  expect([answer, tries]).toEqual(['REGISTERED', 5])
  const abort = new AbortController()
  const aborted = retrying(
    () => {
      setImmediate(() => abort.abort())
      return Promise.reject(new Error('a bug'))
    },
    { log, what: 'register', signal: abort.signal, everyFailure },
  )
  await expect(aborted).rejects.toThrow('a bug')
})

test('An abort ends the pause and the repetition with the last outage', async () => {
  const abort = new AbortController()
  let tries = 0
  const call = retrying(
    () => {
      tries++
      setImmediate(() => abort.abort())
      return Promise.reject(outage())
    },
    { log, what: 'reserve', signal: abort.signal },
  )
  await expect(call).rejects.toThrow('connection lost')
  expect(tries).toBe(1)
})

test('Any number of calls may wait with the signal of one process, without a warning of Node.js', async () => {
  const warnings: string[] = []
  const note = ({ name }: Error) => void warnings.push(name)
  process.on('warning', note)
  const { signal } = new AbortController()
  const calls = Array.from({ length: 20 }, () => {
    let tries = 0
    return retrying(() => (tries++ === 0 ? Promise.reject(outage()) : Promise.resolve(tries)), {
      ...options,
      signal,
    })
  })
  expect(await Promise.all(calls)).toEqual(Array(20).fill(2))
  // Node.js emits a warning in a later turn.
  await new Promise(setImmediate)
  process.off('warning', note)
  expect(warnings).toEqual([])
})

test('An outage is logged as a warning only once it has lasted for half a minute', async () => {
  jest.useFakeTimers()
  const logged: { readonly level: string; readonly at_ms: number }[] = []
  const destination = {
    write(line: string) {
      const { level } = JSON.parse(line) as { readonly level: string }
      logged.push({ level, at_ms: performance.now() })
    },
  }
  const began_ms = performance.now()
  const call = retrying(
    () =>
      performance.now() < began_ms + 35_000
        ? Promise.reject(outage())
        : Promise.resolve('RESERVED'),
    { log: openLog({ name: 'test', level: 'info', destination }), what: 'reserve' },
  )
  await jest.advanceTimersByTimeAsync(60_000)
  expect(await call).toBe('RESERVED')
  const early = logged.filter(({ at_ms }) => at_ms < began_ms + 30_000)
  expect(new Set(early.map(({ level }) => level))).toEqual(new Set(['info']))
  const late = logged.slice(early.length)
  expect(new Set(late.map(({ level }) => level))).toEqual(new Set(['warn']))
})
