/**
 * The operator API, and nothing else: everything that the console does, a script can do. A refusal
 * becomes an error with the message of the API.
 */
import { addressOf, type Variables } from './domain/address.ts'
import { readExactJson } from './domain/amounts.ts'
import type { Error as ErrorAnswer, Operations, Session } from './generated/operator-api.ts'

/** The API refused the call, or could not be reached (status 0). */
export class ApiRefusal extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, description: string) {
    super(description)
    this.status = status
    this.code = code
  }
}

const key = 'causeway-session'

let hasEnded = false

/** Stored until the tab is closed. */
export const session = {
  current(): Session | undefined {
    const stored = sessionStorage.getItem(key)
    return stored === null ? undefined : (JSON.parse(stored) as Session)
  },
  begin(opened: Session): void {
    sessionStorage.setItem(key, JSON.stringify(opened))
  },
  end(): void {
    hasEnded = true
    sessionStorage.removeItem(key)
  },
  /** The session has expired since the page was opened; the log-in form shows it. */
  hasEnded: () => hasEnded,
}

/** Method and path of an operation, as the OpenAPI document writes them. */
type Operation = keyof Operations

export type OperationAnswer<Key extends Operation> = Operations[Key]['answer']

/** The variables of the path, by name. */
type PathValues<Key extends Operation> = Readonly<Record<Variables<Key>, string | number>>

/** The query, by name; '' is left out. And the body. */
type QueryAndBody<Key extends Operation> = {
  readonly [Name in Operations[Key]['query']]?: string | undefined
} & { readonly body?: unknown }

type OperationArguments<Key extends Operation> = [Variables<Key>] extends [never]
  ? [values?: QueryAndBody<Key>]
  : [values: PathValues<Key> & QueryAndBody<Key>]

/** `call('GET /participants/{name}/funds', { name, limit: '50' })` */
export async function call<Key extends Operation>(
  operation: Key,
  ...[values]: OperationArguments<Key>
): Promise<OperationAnswer<Key>> {
  const answer = await ask(operation, values)
  const text = await answer.text()
  const body = text === '' ? undefined : readExactJson(text)
  if (answer.status === 202 && isWaiting(body)) {
    throw new ApiRefusal(
      202,
      '',
      'Sent. Another operator must approve it, under Pending approvals.',
    )
  }
  return body as OperationAnswer<Key>
}

/** With FOUR_EYES=required a change is stored until another operator approves it. */
function isWaiting(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'type' in body && body.type === 'Operation'
}

/** Saves an answer of the API as a file. */
export async function download<Key extends Operation>(
  file: string,
  operation: Key,
  ...[values]: OperationArguments<Key>
): Promise<void> {
  const answer = await ask(operation, values)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await answer.blob())
  link.download = file
  link.click()
  URL.revokeObjectURL(link.href)
}

/** Sends the call; throws when the API refuses it. */
async function ask(
  operation: Operation,
  { body, ...values }: { readonly body?: unknown } = {},
): Promise<Response> {
  const [method = '', path = ''] = operation.split(' ')
  const token = session.current()?.accessToken
  const headers: Record<string, string> = { accept: 'application/json' }
  if (body !== undefined || method === 'POST') headers['content-type'] = 'application/json'
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`
  let answer: Response
  try {
    answer = await fetch(addressOf(path, values), {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  } catch {
    throw new ApiRefusal(0, '', 'The hub cannot be reached.')
  }
  if (!answer.ok) throw refusalOf(answer.status, await answer.text())
  return answer
}

/** A proxy in front of the hub may answer in another format. */
function refusalOf(status: number, text: string): ApiRefusal {
  try {
    const { errorInformation } = JSON.parse(text) as ErrorAnswer
    return new ApiRefusal(status, errorInformation.errorCode, errorInformation.errorDescription)
  } catch {
    return new ApiRefusal(status, '', `The hub answered ${status}.`)
  }
}
