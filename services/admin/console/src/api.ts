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

/** Kept until the tab is closed. */
export const session = {
  current(): Session | undefined {
    const kept = sessionStorage.getItem(key)
    return kept === null ? undefined : (JSON.parse(kept) as Session)
  },
  begin: (opened: Session) => sessionStorage.setItem(key, JSON.stringify(opened)),
  end: () => sessionStorage.removeItem(key),
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export async function call<Body>(method: Method, path: string, body?: unknown): Promise<Body> {
  const token = session.current()?.accessToken
  const headers: Record<string, string> = { accept: 'application/json' }
  if (body !== undefined) headers['content-type'] = 'application/json'
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
  const text = await answer.text()
  const read = text === '' ? undefined : readExactJson(text)
  if (!answer.ok) throw refusalOf(answer.status, read)
  return read as Body
}

function refusalOf(status: number, read: unknown): Refusal {
  const { errorInformation } = (read ?? {}) as {
    readonly errorInformation?: { readonly errorCode: string; readonly errorDescription: string }
  }
  return new Refusal(
    status,
    errorInformation?.errorCode ?? '',
    errorInformation?.errorDescription ?? `The hub answered ${status}.`,
  )
}

export const get = <Body>(path: string) => call<Body>('GET', path)

/** A path whose parts are encoded, and a query without what is empty. */
export function query(values: Readonly<Record<string, string>>): string {
  const filled = Object.entries(values).filter(([, value]) => value !== '')
  return filled.length === 0 ? '' : `?${new URLSearchParams(filled).toString()}`
}
