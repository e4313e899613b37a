/** Checks every answer in a test against the OpenAPI document. */
import { meaningOf } from '../contract.ts'
import { reasonsOf, type DocumentOptions } from '../openapi/document.ts'
import type { GuardedOperation } from '../access/privileges.ts'
import type { Answers } from '../operation.ts'

export interface ReceivedAnswer {
  readonly status: number
  readonly headers: Headers
  readonly json: unknown
}

/**
 * Throws when the answer does not match the document, where it knows the path, or lacks a header that its
 * status demands.
 */
export function answerChecker(operations: readonly GuardedOperation[], options: DocumentOptions) {
  const known = operations.map((operation) => ({ operation, pattern: patternOf(operation.path) }))
  return (method: string, url: string, answer: ReceivedAnswer): void => {
    const path = url.replace(/\?.*/, '')
    const ofPath = known.filter(({ pattern }) => pattern.test(path))
    const [first] = ofPath.filter(({ operation }) => operation.path === ofPath[0]?.operation.path)
    const found = ofPath.find(
      ({ operation }) => operation.method === method && operation.path === first?.operation.path,
    )
    if (found !== undefined) hold(found.operation, options, answer)
    const needed = neededHeaders.get(answer.status)
    if (needed !== undefined && !answer.headers.has(needed)) {
      throw new Error(`${method} ${path} answered ${answer.status} without ${needed}`)
    }
  }
}

/** RFC 9110, 15.5.2, 15.5.6 and 15.6.4. */
const neededHeaders: ReadonlyMap<number, string> = new Map([
  [401, 'www-authenticate'],
  [405, 'allow'],
  [503, 'retry-after'],
])

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`)
}

function hold(
  operation: GuardedOperation,
  options: DocumentOptions,
  { status, headers, json }: ReceivedAnswer,
): void {
  const what = `${operation.method} ${operation.path} answered ${status}`
  if (Object.hasOwn(operation.about.answers, status)) {
    const type = headers.get('content-type') ?? ''
    const shape = operation.about.answers[status as keyof Answers]
    const isFile = operation.about.files?.some((each) => type.startsWith(each)) ?? false
    if (isFile) return
    if (shape === null || shape === undefined) {
      if (json !== undefined) throw new Error(`${what} with a body that the document does not name`)
      return
    }
    const { error } = shape.safeParse(json)
    if (error) throw new Error(`${what} unlike the document: ${error.message}`)
    return
  }
  const code = (json as { errorInformation?: { errorCode?: string } } | undefined)?.errorInformation
    ?.errorCode
  const promised = reasonsOf(operation, options).some((reason) => {
    const meaning = meaningOf(reason, options.compatibility)
    return meaning.status === status && meaning.code === code
  })
  if (!promised) throw new Error(`${what} with ${code}, which the document does not name`)
}
