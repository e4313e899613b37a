/**
 * The operator API, and nothing else: everything that the console does, a script can do. A refusal
 * becomes an error with the message of the API.
 */
import { readExactJson } from './domain/amounts.ts'

/** The API refused the call, or could not be reached (status 0). */
export class Refusal extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, description: string) {
    super(description)
    this.status = status
    this.code = code
  }
}

export interface Session {
  readonly accessToken: string
  readonly refreshToken?: string
  readonly mustChangePassword: boolean
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

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export async function call<Body>(method: Method, path: string, body?: unknown): Promise<Body> {
  const text = await (await ask(method, path, body)).text()
  return (text === '' ? undefined : readExactJson(text)) as Body
}

/** Saves an answer of the API as a file. */
export async function download(path: string, name: string): Promise<void> {
  const answer = await ask('GET', path)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await answer.blob())
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

/** Sends the call; throws when the API refuses it. */
async function ask(method: Method, path: string, body?: unknown): Promise<Response> {
  const token = session.current()?.accessToken
  const headers: Record<string, string> = { accept: 'application/json' }
  if (body !== undefined || method === 'POST') headers['content-type'] = 'application/json'
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`
  let answer: Response
  try {
    answer = await fetch(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  } catch {
    throw new Refusal(0, '', 'The hub cannot be reached.')
  }
  if (!answer.ok) throw refusalOf(answer.status, await answer.text())
  return answer
}

export interface ErrorInformation {
  readonly errorCode: string
  readonly errorDescription: string
}

/** A proxy in front of the hub may answer in another format. */
function refusalOf(status: number, text: string): Refusal {
  try {
    const { errorInformation } = JSON.parse(text) as { readonly errorInformation: ErrorInformation }
    return new Refusal(status, errorInformation.errorCode, errorInformation.errorDescription)
  } catch {
    return new Refusal(status, '', `The hub answered ${status}.`)
  }
}

export const get = <Body>(path: string) => call<Body>('GET', path)

/** The path of a participant, or of one of its resources. */
export const participantPath = (name: string, rest = '') =>
  `/participants/${encodeURIComponent(name)}${rest}`

/** The query string, without empty members. */
export function query(values: Readonly<Record<string, string>>): string {
  const filled = Object.entries(values).filter(([, value]) => value !== '')
  return filled.length === 0 ? '' : `?${new URLSearchParams(filled).toString()}`
}
