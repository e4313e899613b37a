/** Whether the hub may send to an endpoint, and whether it accepts a connection: nothing is sent. */
import { refuse } from '@causeway/services'
import { connect } from 'node:net'
import type { Egress } from '@causeway/http'
import type { RefusedChange } from '../domain/refusal.ts'

export interface ReachedEndpoint {
  readonly type: string
  readonly value: string
}

const connect_ms_max = 2_000

/** Why requests may not go to the first of these endpoints that is denied. */
export async function deniedEndpoint(
  egress: Egress,
  endpoints: readonly ReachedEndpoint[],
): Promise<RefusedChange | undefined> {
  const faults = await Promise.all(
    endpoints.map(async ({ value }) => {
      const url = urlOf(value)
      if (url === undefined) return undefined
      return egress.faultNow(url)
    }),
  )
  const at = faults.findIndex((fault) => fault !== undefined)
  return at < 0 ? undefined : refuse('INVALID', `${endpoints[at]?.type}: ${faults[at]}`)
}

/**
 * Why the first of these endpoints that accepts no connection cannot be used; values that are not server
 * addresses are skipped.
 */
export async function unreachableEndpoint(
  egress: Egress,
  endpoints: readonly ReachedEndpoint[],
): Promise<RefusedChange | undefined> {
  const answers = await Promise.all(
    endpoints.map(async ({ value }) => {
      const url = urlOf(value)
      return url === undefined || (await answersAt(url, egress))
    }),
  )
  const silent = endpoints.find((_, index) => answers[index] === false)
  return (
    silent && refuse('ENDPOINT_UNREACHABLE', `no connection could be opened to ${silent.value}`)
  )
}

/** The path may contain variables; a host that is a variable cannot be checked. */
function urlOf(value: string): URL | undefined {
  const plain = value.replaceAll(/\{\{[^{}]*\}\}/g, 'x')
  if (!/^https?:\/\//i.test(plain) || !URL.canParse(plain)) return undefined
  return new URL(plain)
}

function answersAt(url: URL, egress: Egress): Promise<boolean> {
  const { hostname, port, protocol } = url
  if (egress.faultOf(url) !== undefined) return Promise.resolve(false)
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
      timeout: connect_ms_max,
      lookup: egress.lookupFor(protocol),
    })
    const end = (isThere: boolean) => {
      socket.destroy()
      resolve(isThere)
    }
    socket.once('connect', () => end(true))
    socket.once('timeout', () => end(false))
    socket.once('error', () => end(false))
  })
}
