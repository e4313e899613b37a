/**
 * Requests of web pages to a port without authentication. A browser on this machine sends them for any
 * page: to another origin, with the header Origin; or, when the page's own name was made to resolve to
 * this machine, with that name in Host.
 */
import type { IncomingMessage } from 'node:http'

const loopbackName = /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/

/** Whether a server on this address is reached from this machine only. */
export function isLoopbackHost(host: string): boolean {
  return loopbackName.test(host) || host === '::1'
}

/**
 * Why a request may be one of a web page; undefined: it is not.
 * @param onLoopback whether the server listens on a loopback address
 */
export function foreignPage(
  { headers }: Pick<IncomingMessage, 'headers'>,
  onLoopback: boolean,
): string | undefined {
  const { host = '', origin } = headers
  const name = host.replace(/:\d+$/, '').toLowerCase()
  if (onLoopback && !loopbackName.test(name)) return `the header Host names ${name || 'nobody'}`
  if (origin === undefined || originHost(origin) === host.toLowerCase()) return undefined
  return `the header Origin names ${origin}`
}

function originHost(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}
