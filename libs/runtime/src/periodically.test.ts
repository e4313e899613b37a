import { expect, test } from '@jest/globals'
import { openLog } from './log.ts'
import { periodically } from './periodically.ts'

function listening() {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  return { lines, log: openLog({ name: 'test', level: 'info', destination: { write } }) }
}

test('the work is done again and again, never two at a time', async () => {
  const { log } = listening()
  let running = 0
  let most = 0
  let times = 0
  await new Promise<void>((enough) => {
    const sweep = periodically(
      1,
      async () => {
        running++
        most = Math.max(most, running)
        await new Promise((resolve) => setImmediate(resolve))
        running--
        if (++times === 3) void sweep.stop().then(enough)
      },
      { log, name: 'sweep' },
    )
  })
  expect([times, most]).toEqual([3, 1])
})

test('a failure is logged and does not end it', async () => {
  const { log, lines } = listening()
  let times = 0
  await new Promise<void>((enough) => {
    const sweep = periodically(
      1,
      () => {
        if (++times === 1) throw new Error('no database')
        void sweep.stop().then(enough)
        return Promise.resolve()
      },
      { log, name: 'sweep' },
    )
  })
  expect(times).toBe(2)
  expect(lines.join('')).toMatch(/no database.*"sweep failed"/)
})

test('stop waits for the work that is being done and begins no more', async () => {
  const { log } = listening()
  let finish = (): void => undefined
  let times = 0
  const begun = new Promise<{ stop(): Promise<void> }>((begin) => {
    const sweep = periodically(
      1,
      () => {
        times++
        begin(sweep)
        return new Promise((resolve) => (finish = resolve))
      },
      { log, name: 'sweep' },
    )
  })
  let stopped = false
  const stop = (await begun).stop().then(() => (stopped = true))
  await new Promise((resolve) => setImmediate(resolve))
  expect(stopped).toBe(false)
  finish()
  await stop
  expect(times).toBe(1)
})
