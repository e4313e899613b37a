import { expect, test } from '@jest/globals'
import { openLog, Outage } from '@causeway/process'
import { finishEach } from './finish.ts'

/** Finishes an item per failure, and returns the level and the text of what is logged. */
async function logged(failures: readonly (Error | undefined)[]): Promise<readonly string[]> {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  const log = openLog({ name: 'test', level: 'info', destination: { write } })
  const { signal } = new AbortController()
  const finish = (failure: Error | undefined) =>
    failure === undefined ? Promise.resolve() : Promise.reject(failure)
  await finishEach(failures, finish, { log, signal, nameOf: () => 'the closing of window 7' })
  return lines.map((line) => {
    const { level, msg } = JSON.parse(line) as { readonly level: string; readonly msg: string }
    return `${level}: ${msg}`
  })
}

test('An outage while an item is finished is no alarm, since the item is tried again', async () => {
  expect(await logged([new Outage('connection lost'), undefined])).toEqual([
    'warn: the closing of window 7: no answer, tried again',
  ])
})

test('An item that fails otherwise raises an alarm, and the others are finished', async () => {
  const refused = new Outage('no rights', { kind: 'REFUSED' })
  expect(await logged([new Error('a bug'), refused, undefined])).toEqual([
    'error: ALARM the closing of window 7 cannot be finished',
    'error: ALARM the closing of window 7 cannot be finished',
  ])
})
