/** Uploads a report to the administration API of a hub, as an operator's program. */
import { readFile } from 'node:fs/promises'
import { request } from 'undici'
import type { CaseResult } from './case.ts'
import type { Report } from './reports/report.ts'

/** Where and as whom a report is published. */
export interface Publishing {
  /** The operator API of the hub, without a slash at the end. */
  readonly url: string
  /** The file with the bearer token; undefined: the hub requires none. */
  readonly tokenFile: string | undefined
}

/** The report is written, but the hub has not stored it; the message is a sentence for the user. */
export class NotPublished extends Error {}

const timeout_ms = 30_000

/**
 * The token is read only now, since it may have been renewed while the cases ran.
 * @returns the address of the report at the hub
 */
export async function publish(report: Report, { url, tokenFile }: Publishing): Promise<string> {
  const address = `${url}/participants/${encodeURIComponent(report.fsp)}/certifications`
  const answer = await post(address, JSON.stringify(uploadOf(report)), tokenFile)
  if (answer.status >= 300) {
    throw new NotPublished(`${notTo(url)}: it answered ${answer.status}${reasonIn(answer.text)}.`)
  }
  const id = idIn(answer.text)
  if (id === undefined) throw new NotPublished(`${notTo(url)}: it does not answer like a hub.`)
  return `${address}/${id}`
}

/** Without messages: they are for the FSP, and make the report large. */
export function uploadOf(report: Report): object {
  const withoutMessages = ({ messages: _, ...result }: CaseResult) => result
  return { ...report, results: report.results.map(withoutMessages) }
}

const notTo = (url: string) => `The report was not published to ${url}`

async function post(address: string, body: string, tokenFile: string | undefined) {
  try {
    const token = tokenFile === undefined ? '' : (await readFile(tokenFile, 'utf8')).trim()
    const { statusCode: status, body: answer } = await request(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      },
      body,
      headersTimeout: timeout_ms,
      bodyTimeout: timeout_ms,
    })
    return { status, text: await answer.text() }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new NotPublished(`The report was not published to ${address}: ${reason}.`)
  }
}

/** Code and description of the hub's refusal, where the answer has them. */
function reasonIn(text: string): string {
  const { errorInformation } = jsonIn(text) as {
    readonly errorInformation?: Readonly<Record<'errorCode' | 'errorDescription', unknown>>
  }
  if (errorInformation === undefined) return ''
  return `, ${String(errorInformation.errorCode)} ${String(errorInformation.errorDescription)}`
}

function idIn(text: string): number | undefined {
  const { id } = jsonIn(text) as { readonly id?: unknown }
  return typeof id === 'number' ? id : undefined
}

function jsonIn(text: string): object {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === 'object' && json !== null ? json : {}
  } catch {
    return {}
  }
}
