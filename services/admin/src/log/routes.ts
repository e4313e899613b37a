/** The log store under its names in the reference architecture: write, state, search. */
import { logLevels } from '@causeway/events'
import type { LogLine } from '@causeway/protos'
import { z } from 'zod'
import { answered } from '../answer.ts'
import { pageSize, queryTime, text, time, word } from '../fields.ts'
import { reads, writes, type Operation } from '../operation.ts'
import { shownTime } from '../shapes.ts'
import type { Deps } from '../upstream.ts'

const lines_max = 500
const lines_usual = 100
const written_max = 100

const level = z.enum(logLevels)

const line = z.strictObject({
  level,
  timestamp: time,
  appName: word,
  appVersion: word,
  component: word.optional(),
  message: z.string().min(1).max(2_000),
  meta: z.record(word, z.string().max(2_000)).optional(),
})

const shownLine = z
  .strictObject({
    id: z.string(),
    level,
    timestamp: shownTime,
    bcName: z.string(),
    appName: z.string(),
    appVersion: z.string(),
    component: z.string().optional(),
    message: z.string(),
    meta: z.record(z.string(), z.string()),
  })
  .meta({ id: 'LogLine' })

const search = z.object({
  bc: word.optional().meta({ description: 'The component that logged the line.' }),
  level: level.optional().meta({ description: 'This level and the more severe ones.' }),
  component: word.optional(),
  from: queryTime.optional(),
  to: queryTime.optional(),
  text: text
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'Part of the message or of a value in `meta`, in any case.' }),
  cursor: z
    .string()
    .regex(/^\d{1,18}$/)
    .optional()
    .meta({ description: 'From the previous answer.' }),
  limit: pageSize(lines_max).optional(),
})

export function logWriting(deps: Deps): readonly Operation[] {
  return [
    writes(
      'POST',
      '/log-write',
      z.strictObject({ entries: z.array(line).min(1).max(written_max) }),
      {
        about: `Stores lines of the component that calls, at most ${written_max}; without personal data and secrets`,
        answers: { 200: z.strictObject({ stored: z.int() }) },
      },
      async ({ body, actor: sourceBcName }) => {
        const lines = body.entries.map(({ meta = {}, component, ...each }) => ({
          ...each,
          sourceBcName,
          meta,
          ...(component === undefined ? {} : { component }),
        }))
        const { stored } = await deps.logStore.WriteLog({ lines })
        return answered(200, { stored })
      },
    ),
  ]
}

export function logState(deps: Deps): readonly Operation[] {
  return [
    reads(
      '/log-read-build-log',
      {
        about: 'How far the log store is built, and how many lines processes did not copy to it',
        answers: {
          200: z.strictObject({
            lines: z.string(),
            /** Absent while it is empty. */
            oldestDate: shownTime.optional(),
            newestDate: shownTime.optional(),
            droppedLines: z.string(),
          }),
        },
      },
      async () => {
        const { lines, oldestAt, newestAt, dropped } = await deps.logStore.DescribeLog({})
        return answered(200, {
          lines,
          ...(oldestAt === undefined ? {} : { oldestDate: oldestAt }),
          ...(newestAt === undefined ? {} : { newestDate: newestAt }),
          droppedLines: dropped,
        })
      },
    ),
  ]
}

export function logReading(deps: Deps): readonly Operation[] {
  return [
    reads(
      '/read-log',
      {
        about: 'Warnings and errors of all components, newest first',
        query: search,
        answers: {
          200: z.strictObject({
            entries: z.array(shownLine),
            /** For the next page; absent on the last one. */
            cursor: z.string().optional(),
          }),
        },
      },
      async ({ query }) => {
        const { bc: sourceBcName, cursor: beforeId, limit = lines_usual, ...filter } = query
        const given = present({ ...filter, sourceBcName, beforeId })
        const { lines } = await deps.logStore.ReadLog({ ...given, limit })
        const last = lines.at(-1)
        return answered(200, {
          entries: lines.flatMap(({ id, line: stored }) =>
            stored === null ? [] : [lineBody(id, stored)],
          ),
          ...(lines.length < limit || last === undefined ? {} : { cursor: last.id }),
        })
      },
    ),
  ]
}

type Present<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> }

function present<Members extends object>(members: Members): Present<Members> {
  const given = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as Present<Members>
}

function lineBody(id: string, { sourceBcName: bcName, component, ...line }: LogLine) {
  const { level: severity, timestamp, appName, appVersion, message, meta } = line
  return {
    id,
    level: severity,
    timestamp,
    bcName,
    appName,
    appVersion,
    ...(component === undefined ? {} : { component }),
    message,
    meta: { ...meta },
  }
}
