/**
 * Reads a payload from the log. It is checked and returned as it is: a member that this release
 * does not know is included in everything that is published from the payload.
 */
import { FromNewerRelease } from '@causeway/bus'
import type { z } from 'zod'
import { catalogue, type EventName } from './catalogue/catalogue.ts'

type Issue = z.core.$ZodIssue

/**
 * The payload as it came. Throws `FromNewerRelease` when all that is wrong with it are values that
 * this release does not know, and a ZodError for anything else.
 */
export function readPayload(name: EventName, json: unknown): unknown {
  const { error } = catalogue[name].schema.safeParse(json)
  if (error === undefined) return json
  if (!error.issues.every((issue) => isUnknownValue(issue, json))) throw error
  const paths = error.issues.map(({ path }) => path.join('.')).join(', ')
  throw new FromNewerRelease(`${name} has a value that this release does not know: ${paths}`)
}

/** A text where a text is expected, but not one of those that are listed. */
function isUnknownValue(issue: Issue, json: unknown): boolean {
  if (issue.code === 'invalid_value') return typeof memberAt(json, issue.path) === 'string'
  if (issue.code !== 'invalid_union') return false
  const inside = memberAt(json, issue.path)
  // Of a union that goes by one member, that member is what is meant.
  if (issue.errors.length === 0) return typeof inside === 'string'
  return issue.errors.some((issues) => issues.every((each) => isUnknownValue(each, inside)))
}

function memberAt(json: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inside, name) => (inside as Readonly<Record<PropertyKey, unknown>> | undefined)?.[name],
    json,
  )
}
