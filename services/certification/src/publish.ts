/**
 * Uploads a report to the operator API of a hub. When the hub does not store it, the error is a sentence
 * that says why.
 */
import { readFile } from 'node:fs/promises'
import { request } from 'undici'
import type { CaseResult } from './case.ts'
import type { CertificationReport } from './reports/report.ts'

/** Where and as whom a report is published. */
export interface Publishing {
  /** The operator API of the hub, without a slash at the end. */
  readonly url: string
  /** The file with the bearer token; undefined: the hub requires none. */
  readonly tokenFile: string | undefined
}

const timeout_ms = 30_000

/**
 * The token is read only now, since it may have been renewed while the cases ran.
 * @returns the address of the report at the hub
 */
export async function publish(
  report: CertificationReport,
  publishing: Publishing,
): Promise<string> {
  const { url } = publishing
  const address = `${url}/participants/${encodeURIComponent(report.fsp)}/certifications`
  const { status, text } = await post(address, uploadOf(report), publishing)
  if (status >= 300) throw notPublished(url, `it answered ${status}${reasonIn(text)}`)
  const { id } = jsonIn(text) as { readonly id?: unknown }
  if (typeof id !== 'number') throw notPublished(url, 'it does not answer like a hub')
  return `${address}/${id}`
}

function notPublished(url: string, reason: string): Error {
  return new Error(`The report was not published to ${url}: ${reason}.`)
}

/** Without messages: they are for the FSP, and make the report large. */
function uploadOf(report: CertificationReport): object {
  return { ...report, results: report.results.map(withoutMessages) }
}

function withoutMessages(whole: CaseResult) {
  const { messages: _, ...result } = whole
  return result
}

async function post(address: string, report: object, { url, tokenFile }: Publishing) {
  try {
    const token = tokenFile === undefined ? '' : (await readFile(tokenFile, 'utf8')).trim()
    const { statusCode: status, body } = await request(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(report),
      headersTimeout: timeout_ms,
      bodyTimeout: timeout_ms,
    })
    return { status, text: await body.text() }
  } catch (error) {
    throw notPublished(url, error instanceof Error ? error.message : String(error))
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

function jsonIn(text: string): object {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === 'object' && json !== null ? json : {}
  } catch {
    return {}
  }
}
