import { describe, expect, test } from '@jest/globals'
import { EventEmitter, once } from 'node:events'
import { openLog } from './log.ts'
import { Outage } from './outage.ts'
import { exitWithError, run, supervise, type HostProcess, type Service } from './process.ts'
import { integer } from './settings/settings.ts'
import { StartError } from './start-error.ts'

const log = openLog({ name: 'test', level: 'silent' })
const settings = {
  DEMO_PORT: integer({ about: 'a port', unit: 'port', default: 1, min: 1, max: 65_535 }),
}
const idle: Service = { stop: () => Promise.resolve() }

/** The interface of Node.js to a process: signals in, output and an exit code out. */
class Host extends EventEmitter implements HostProcess {
  readonly argv: string[] = []
  readonly env: Record<string, string> = { LOG_LEVEL: 'silent' }
  readonly exits: number[] = []
  out = ''
  err = ''
  readonly stdout = { write: (text: string) => (this.out += text) }
  readonly stderr = { write: (text: string) => (this.err += text) }

  exit(code: number): void {
    this.exits.push(code)
    this.emit('exit')
  }
}

describe('The start of a process:', () => {
  test('A process starts with the settings of the environment', async () => {
    const host = new Host()
    host.env['DEMO_PORT'] = '4711'
    const ports: number[] = []
    const start = (values: { DEMO_PORT: number }) => {
      ports.push(values.DEMO_PORT)
      return Promise.resolve(idle)
    }
    await run('demo', settings, start, host)
    expect(ports).toEqual([4_711])
    expect(host.exits).toEqual([])
  })

  test('Wrong settings are printed, one line for each fault, and the process exits 1', async () => {
    const host = new Host()
    Object.assign(host.env, { DEMO_PORT: '0', DEMO_PROT: '1', LOG_LEVEL: 'loud' })
    await run('demo', settings, () => Promise.resolve(idle), host)
    expect(host.err.trim().split('\n')).toHaveLength(3)
    expect(host.exits).toEqual([1])
  })

  test('With --print-settings the settings are printed and nothing is started', async () => {
    const host = new Host()
    host.argv.push('--print-settings')
    await run('demo', settings, () => Promise.reject(new Error('started')), host)
    expect(host.out).toMatch(/^name .*\nDEMO_PORT .*\nLOG_LEVEL .*silent.*\n$/)
    expect(host.exits).toEqual([])
  })

  test('A start that is refused prints its reason and exits 1', async () => {
    const host = new Host()
    const refused = () => Promise.reject(new StartError('The port 4000 is in use.'))
    await run('demo', settings, refused, host)
    expect(host.err).toBe('The port 4000 is in use.\n')
    expect(host.exits).toEqual([1])
  })

  test('A start during which a dependency fails prints a sentence and exits 1', async () => {
    const host = new Host()
    const away = new Outage('connect ECONNREFUSED 127.0.0.1:5432')
    await run('demo', settings, () => Promise.reject(away), host)
    expect(host.err).toBe(
      'What it needs went away while it started (connect ECONNREFUSED 127.0.0.1:5432): start it again.\n',
    )
    expect(host.exits).toEqual([1])
  })

  test('A bug in the start is printed with its stack, and the process exits 70', async () => {
    const host = new Host()
    await run('demo', settings, () => Promise.reject(new Error('a bug')), host)
    expect(host.err).toMatch(/^Error: a bug\n +at /)
    expect(host.exits).toEqual([70])
  })

  test('What caused a bug is printed after it', async () => {
    const host = new Host()
    const bug = new Error('the migration failed', { cause: new TypeError('no such table') })
    await run('demo', settings, () => Promise.reject(bug), host)
    expect(host.err).toMatch(
      /^Error: the migration failed\n +at [^]+\ncaused by: TypeError: no such table\n +at /,
    )
  })
})

describe('A running process:', () => {
  test.each(['SIGINT', 'SIGTERM'])(
    'On %s a process stops its service and exits 0',
    async (signal) => {
      const host = new Host()
      let stops = 0
      const stop = () => Promise.resolve(stops++).then(() => undefined)
      await supervise(() => Promise.resolve({ stop }), log, host)
      host.emit(signal)
      await once(host, 'exit')
      expect([stops, host.exits]).toEqual([1, [0]])
    },
  )

  test('A process that is still starting is stopped when it has started', async () => {
    const host = new Host()
    let stops = 0
    let started: (service: Service) => void = () => undefined
    const start = () => new Promise<Service>((resolve) => (started = resolve))
    const supervised = supervise(start, log, host)
    host.emit('SIGTERM')
    expect(stops).toBe(0)
    started({ stop: () => Promise.resolve(stops++).then(() => undefined) })
    await Promise.all([supervised, once(host, 'exit')])
    expect([stops, host.exits]).toEqual([1, [0]])
  })

  test('A second signal ends the process at once', async () => {
    const host = new Host()
    const service = { stop: () => new Promise<void>(() => undefined) }
    await supervise(() => Promise.resolve(service), log, host, { stop_ms_max: 60 })
    host.emit('SIGINT')
    host.emit('SIGINT')
    expect(host.exits).toEqual([1])
    await once(host, 'exit')
  })

  test('A process whose stop fails or takes too long exits 1', async () => {
    for (const stop of [
      () => Promise.reject(new Error('cannot')),
      () => new Promise<void>(() => undefined),
    ]) {
      const host = new Host()
      await supervise(() => Promise.resolve({ stop }), log, host, { stop_ms_max: 5 })
      host.emit('SIGTERM')
      await once(host, 'exit')
      expect(host.exits).toEqual([1])
    }
  })

  test.each(['unhandledRejection', 'uncaughtException'])(
    'An %s is logged, and the process exits 70',
    async (event) => {
      const host = new Host()
      const lines: string[] = []
      const destination = { write: (line: string) => void lines.push(line) }
      const heard = openLog({ name: 'test', level: 'fatal', destination })
      await supervise(() => Promise.resolve(idle), heard, host)
      host.emit(event, new Error('a forgotten rejection'))
      expect(host.exits).toEqual([70])
      expect(lines.join('')).toContain('a forgotten rejection')
    },
  )
})

test('A thrown value that is not an Error is printed as well', () => {
  const host = new Host()
  exitWithError('just a text', host)
  expect([host.err, host.exits]).toEqual(['just a text\n', [70]])
})
