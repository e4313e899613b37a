/**
 * Copies the warnings and errors of a process from its log to the log store. What cannot be published is
 * lost, and their number becomes a line of its own; nothing waits for it.
 */
import type { EventBus } from '@causeway/bus'
import { periodically, takeWarnings, type Logger, type Service, jsonOf } from '@causeway/process'
import { z } from 'zod'
import type { Payload, PublisherOf } from './catalogue/catalogue.ts'
import { newEvent } from './event.ts'
import { logLevels } from './catalogue/platform.ts'

type Source = PublisherOf<'/log-write'>
type LogLine = Payload<'/log-write'>

export interface LogShippingParts {
  readonly bus: EventBus
  readonly log: Logger
}

const every_ms = 1_000
const lines_max = 50
const value_length_max = 2_000

/**
 * @param source the publisher, where the topics have rights
 * @param name the name of lines that no service has logged
 */
export function shipLog(
  source: Source,
  { bus, log }: LogShippingParts,
  name: string = source,
): Service {
  let lost = 0
  let isAway = false

  async function ship(): Promise<void> {
    const { lines, dropped } = takeWarnings()
    const read = lines.slice(0, lines_max).flatMap((line) => lineOf(line, name) ?? [])
    lost += dropped + lines.length - read.length
    const all = lost === 0 ? read : [...read, lossOf(lost, name)]
    if (all.length === 0) return
    try {
      await bus.publish(all.map((line) => newEvent(source, '/log-write', line)))
      lost = 0
      isAway = false
    } catch (error) {
      lost += read.length
      if (!isAway) log.warn({ err: error }, 'warnings cannot be copied to the log store')
      isAway = true
    }
  }

  const shipping = periodically(every_ms, ship, { log, name: 'copying warnings to the log store' })
  return {
    async stop() {
      await shipping.stop()
      await ship()
    },
  }
}

const logged = z.looseObject({
  level: z.enum(logLevels),
  time: z.string(),
  msg: z.string().default(''),
  service: z.string().optional(),
})

function lineOf(text: string, name: string): LogLine | undefined {
  const { data } = logged.safeParse(jsonOf(text))
  if (data === undefined) return undefined
  const { level, time, msg, service, name: _name, pid: _pid, hostname: _host, ...rest } = data
  return {
    level,
    timestamp: time,
    sourceBcName: service ?? name,
    appName: 'causeway',
    appVersion: '1',
    message: msg.slice(0, value_length_max),
    meta: Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, textOf(value)])),
  }
}

function lossOf(count: number, name: string): LogLine {
  return {
    level: 'warn',
    timestamp: new Date().toISOString(),
    sourceBcName: name,
    appName: 'causeway',
    appVersion: '1',
    message: `${count} lines of the log were not copied: they are in the log of the process alone`,
    meta: { dropped: String(count) },
  }
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.slice(0, value_length_max)
}
