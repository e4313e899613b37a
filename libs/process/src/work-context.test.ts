import { expect, test } from '@jest/globals'
import { workContext } from './work-context.ts'

function openGate() {
  let open = () => undefined as unknown
  const opened = new Promise((resolve) => (open = () => resolve(undefined)))
  return { opened, open: () => open() }
}

test('Work and all that it begins read the value of the work, and others read none', async () => {
  const context = workContext<string>()
  const seen: unknown[] = []
  await context.run('ada', async () => {
    seen.push(context.current())
    await Promise.resolve()
    seen.push(context.current())
    await context.run('bob', () => Promise.resolve(seen.push(context.current())))
    seen.push(context.current())
  })
  expect(seen).toEqual(['ada', 'ada', 'bob', 'ada'])
  expect(context.current()).toBeUndefined()
})

test('Work keeps its value when other work ends before it', async () => {
  const context = workContext<string>()
  const [first, second] = [openGate(), openGate()]
  const reads = (value: string, { opened }: { readonly opened: Promise<unknown> }) =>
    context.run(value, async () => {
      await opened
      return context.current()
    })
  const values = [reads('first', first), reads('second', second)]
  first.open()
  expect(await values[0]).toBe('first')
  second.open()
  expect(await values[1]).toBe('second')
})

test('What work has begun reads no value once the work has failed', async () => {
  const context = workContext<string>()
  const gate = openGate()
  let read: Promise<string | undefined> = Promise.resolve('not read')
  const work = context.run('ada', async () => {
    read = gate.opened.then(() => context.current())
    await Promise.reject(new Error('refused'))
  })
  await expect(work).rejects.toThrow('refused')
  gate.open()
  expect(await read).toBeUndefined()
})
