/**
 * The page EVENTS.md, made from the catalogue: what is printed there is what the services check.
 * A test compares the page with this function; `npm run docs` writes it again.
 */
import { z } from 'zod'
import { catalogue, topicsFromOutside } from './catalogue/catalogue.ts'
import type { EventDefinition } from './catalogue/define.ts'
import { unpublished } from './unpublished.ts'

interface JsonSchema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly const?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly oneOf?: readonly JsonSchema[]
  readonly anyOf?: readonly JsonSchema[]
  readonly additionalProperties?: JsonSchema | boolean
}

export function eventsPage(): string {
  const events = Object.entries<EventDefinition>(catalogue)
  const topics = [...new Set(events.map(([, { topic }]) => topic))].sort()
  const chapters = topics.map((topic) =>
    topicChapter(
      topic,
      events.filter(([, event]) => event.topic === topic),
    ),
  )
  return [
    '# Events',
    'Made from the catalogue in `src/` by `npm run docs`; change it there.',
    'Publishers and consumers are the services whose code publishes an event and subscribes to it; ' +
      'the access rights of the brokers are made of them.',
    'A name ending in `?` may be absent. Times are ISO 8601 in UTC, amounts decimal strings. Order ' +
      'holds for one key within one topic and nowhere else.',
    compatibilityChapter(),
    ...chapters,
  ]
    .join('\n\n')
    .concat('\n')
}

/** What holds between the releases that run side by side during a rolling update. */
function compatibilityChapter(): string {
  const later = Object.entries(unpublished)
  return [
    '## Compatibility: consumers first',
    'Two releases run side by side during a rolling update, and what one has published lies in the log ' +
      'when the other starts. So a new event, a new value or a member that may newly be absent is ' +
      'published one release after every consumer can read it, or only where a setting enables it; and what ' +
      'the release before publishes is read. A new member needs no care: a consumer that does not know ' +
      'it includes it in everything that it publishes from the payload. A test compares the catalogue with ' +
      'that of the release before (`releases/`); what is read and not published yet is listed in ' +
      '`src/unpublished.ts`.',
    'A consumer that meets a type or a value that it does not know finishes nothing unread and makes no ' +
      'dead letter of it: the message waits for a process that understands it, with an alarm.',
    later.length === 0
      ? 'Everything that this release reads is published by it.'
      : later.map(([what, when]) => `- ${what}: published ${when}`).join('\n'),
  ].join('\n\n')
}

function topicChapter(topic: string, events: readonly [string, EventDefinition][]): string {
  return [`## Topic \`${topic}\``, ...events.map(eventParagraph)].join('\n\n')
}

function eventParagraph([name, event]: readonly [string, EventDefinition]): string {
  const outside = 'a component of the operator'
  const isFromOutside = topicsFromOutside.has(event.topic)
  const publishers = isFromOutside ? outside : event.publishers.join(', ')
  const consumers = event.consumers.length === 0 ? outside : event.consumers.join(', ')
  const route =
    publishers === '' ? '**No component publishes it yet.**' : `${publishers} → ${consumers}`
  const key = event.key === null ? 'no key' : `key \`${event.key}\``
  return [
    `### ${name}`,
    event.about,
    `${route}; ${key}`,
    '```',
    shape(z.toJSONSchema(event.schema) as JsonSchema, ''),
    '```',
  ].join('\n')
}

/** A schema in the words of the page: `{ name, name?: type }`. */
function shape(schema: JsonSchema, indent: string): string {
  const choices = schema.oneOf ?? schema.anyOf
  if (choices !== undefined) return choices.map((choice) => shape(choice, indent)).join(' | ')
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum.join(' | ')
  if (schema.type === 'array') return `[${shape(schema.items ?? {}, indent)}]`
  if (schema.properties !== undefined) return objectShape(schema, indent)
  if (schema.type === 'object') return '{ any member }'
  return schema.type ?? 'any'
}

function objectShape(schema: JsonSchema, indent: string): string {
  const inner = `${indent}  `
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    const mark = schema.required?.includes(name) === true ? '' : '?'
    return `${inner}${name}${mark}: ${shape(member, inner)}`
  })
  return ['{', ...members, `${indent}}`].join('\n')
}
