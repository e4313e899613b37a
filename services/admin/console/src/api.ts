/**
 * The operator API, and nothing else: what an operator can do here, a script can do. Refusals become
 * errors whose message is the sentence that the API gave.
 */
import { readExactJson } from './domain/amounts.ts'

/** The API refused, or could not be reached (status 0). */
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

/** Kept until the tab is closed. */
export const session = {
  current(): Session | undefined {
    const kept = sessionStorage.getItem(key)
    return kept === null ? undefined : (JSON.parse(kept) as Session)
  },
  begin(opened: Session): void {
    sessionStorage.setItem(key, JSON.stringify(opened))
  },
  end(): void {
    hasEnded = true
    sessionStorage.removeItem(key)
  },
  /** Since the page was opened; its log-in form says so. */
  hasEnded: () => hasEnded,
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export async function call<Body>(method: Method, path: string, body?: unknown): Promise<Body> {
  const text = await (await ask(method, path, body)).text()
  return (text === '' ? undefined : readExactJson(text)) as Body
}

/** Saves what the API answers as a file of the browser's. */
export async function download(path: string, name: string): Promise<void> {
  const answer = await ask('GET', path)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await answer.blob())
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

/** What the API did not refuse. */
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

/** Whatever stands before the hub may answer in words of its own. */
function refusalOf(status: number, text: string): Refusal {
  try {
    const { errorInformation } = JSON.parse(text) as { readonly errorInformation: ErrorInformation }
    return new Refusal(status, errorInformation.errorCode, errorInformation.errorDescription)
  } catch {
    return new Refusal(status, '', `The hub answered ${status}.`)
  }
}

export const get = <Body>(path: string) => call<Body>('GET', path)

/** The path of a participant, or of what belongs to it. */
export const participantPath = (name: string, rest = '') =>
  `/participants/${encodeURIComponent(name)}${rest}`

/** A query without what is empty. */
export function query(values: Readonly<Record<string, string>>): string {
  const filled = Object.entries(values).filter(([, value]) => value !== '')
  return filled.length === 0 ? '' : `?${new URLSearchParams(filled).toString()}`
}
