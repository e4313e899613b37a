/** Sends signals to real processes. */
import { expect, test } from '@jest/globals'
import { spawn } from 'node:child_process'
import { once } from 'node:events'

const hooks = new URL('../../tooling/src/jest/hooks.mjs', import.meta.url).href
const preload = new URL('end-while-loading.ts', import.meta.url).href

/** The end of a process that gets the signal as soon as its program reports that it is loading. */
async function endOf(program: string, signal: NodeJS.Signals): Promise<unknown> {
  const flags = ['--import', hooks, '--import', preload, '--input-type=module', '--eval', program]
  const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  await once(child.stdout, 'data')
  child.kill(signal)
  return ended
}

const loading = `console.log('so far'); await new Promise(() => setInterval(() => {}, 1_000))`
const running = `
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => setImmediate(process.exit, 7))
  setInterval(() => {}, 1_000)
  console.log('so far')
`

test('A process that is still loading its program handles the signals that end it', async () => {
  // Not ended by the signal: then there would be no exit code but the name of the signal.
  expect(await endOf(loading, 'SIGTERM')).toEqual([143, null])
  expect(await endOf(loading, 'SIGINT')).toEqual([130, null])
})

test('A program that handles the signals itself decides how it ends', async () => {
  expect(await endOf(running, 'SIGTERM')).toEqual([7, null])
  expect(await endOf(running, 'SIGINT')).toEqual([7, null])
})
