/**
 * Selects the one fault of a body that is reported to its sender: a missing element first, otherwise the
 * first fault in document order. FSPIOP 7.6.
 */
import type { z } from 'zod'
import type { ErrorCode } from '../errors.ts'

type Issue = z.core.$ZodIssue
type Path = Issue['path']

export interface Fault {
  readonly code: ErrorCode
  /** Begins with the path of the element: "/payer/personalInfo/complexName/firstName". */
  readonly detail: string
}

/**
 * The codes of faults. `specification`: a wrong format is 3101, a wrong length 3100, too many elements
 * 3103. `mojaloop`: 3101 for a value that is not the expected object or list, 3100 for every other
 * fault. In both a missing element is 3102.
 */
export type FaultCodes = 'specification' | 'mojaloop'

/** The fault to report; `issues` is not empty. */
export function firstFault(
  issues: readonly Issue[],
  json: object,
  codes: FaultCodes = 'specification',
): Fault {
  const missing = issues.filter((issue) => isMissing(issue, json))
  const issue = firstInDocument(missing.length > 0 ? missing : issues, json)
  const path = textOf(issue.path, json)
  if (missing.length > 0) return { code: '3102', detail: path }
  return {
    code: codes === 'mojaloop' ? looseCodeOf(issue) : codeOf(issue),
    detail: `${path}: ${sentenceOf(issue)}`,
  }
}

function isMissing(issue: Issue, json: object): boolean {
  if (issue.code !== 'invalid_type' && issue.code !== 'invalid_value') {
    if (issue.code !== 'invalid_union') return false
  }
  let value: unknown = json
  for (const step of issue.path) value = inner(value, step)
  return value === undefined
}

/** One step down. A bare list is treated as the object that the schema converts it to. */
function inner(value: unknown, step: PropertyKey): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value) && typeof step === 'string') return value
  return Object.hasOwn(value, step) ? (value as Record<PropertyKey, unknown>)[step] : undefined
}

/** Descends level by level with the remaining candidates, so that many issues are cheap. */
function firstInDocument(issues: readonly Issue[], json: object): Issue {
  let running = issues
  let value: unknown = json
  for (let level = 0; ; level += 1) {
    const [first] = running
    if (first === undefined) throw new Error('a body was refused without an issue')
    const ended = running.find((issue) => issue.path.length === level)
    if (ended !== undefined || running.length === 1) return ended ?? first
    const step = firstStep(running, level, value)
    running = running.filter((issue) => issue.path[level] === step)
    value = step === undefined ? undefined : inner(value, step)
  }
}

function firstStep(
  issues: readonly Issue[],
  level: number,
  value: unknown,
): PropertyKey | undefined {
  const steps = new Set(issues.map((issue) => issue.path[level]))
  if (typeof value === 'object' && value !== null) {
    for (const name of Array.isArray(value) ? value.keys() : Object.keys(value)) {
      if (steps.has(name)) return name
    }
  }
  return issues[0]?.path[level]
}

function textOf(path: Path, json: object): string {
  return documentPath(path, json)
    .map((step) => `/${step}`)
    .join('')
}

/** The path of an issue in the document, where a bare list has one step less. */
export function documentPath(path: Path, json: object): readonly string[] {
  const steps: string[] = []
  let value: unknown = json
  for (const step of path) {
    if (!(Array.isArray(value) && typeof step === 'string')) steps.push(String(step))
    value = inner(value, step)
  }
  return steps
}

/** The schema counts only lists; elements check the length of texts and have their own code. */
function codeOf(issue: Issue): ErrorCode {
  switch (issue.code) {
    case 'custom':
      return (issue.params?.['errorCode'] as ErrorCode | undefined) ?? '3101'
    case 'too_small':
      return '3100'
    case 'too_big':
      return '3103'
    default:
      return '3101'
  }
}

/** An element that is 3101 in both modes declares it. */
function looseCodeOf(issue: Issue): ErrorCode {
  if (issue.code === 'custom') {
    return (issue.params?.['mojaloopCode'] as ErrorCode | undefined) ?? '3100'
  }
  const isStructure =
    issue.code === 'invalid_type' && (issue.expected === 'object' || issue.expected === 'array')
  return isStructure ? '3101' : '3100'
}

function sentenceOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `not a JSON ${issue.expected}`
    case 'invalid_value':
    case 'invalid_union':
      return 'not one of its values'
    case 'too_small':
      return `fewer than ${issue.minimum} elements`
    case 'too_big':
      return `more than ${issue.maximum} elements`
    default:
      return issue.message
  }
}
