/** Whether an endpoint accepts a connection: one is opened, nothing is sent. */
import { connect } from 'node:net'
import type { WantedEndpoint } from './domain/wanted.ts'

const connect_ms_max = 2_000

/**
 * The first endpoint that accepts no connection; values that are not server addresses are skipped.
 */
export async function unreachable(
  endpoints: readonly WantedEndpoint[],
): Promise<WantedEndpoint | undefined> {
  const addresses = endpoints.map((endpoint) => ({ endpoint, address: addressOf(endpoint.value) }))
  const answers = await Promise.all(
    addresses.map(({ address }) =>
      address === undefined ? Promise.resolve(true) : answersAt(address),
    ),
  )
  return addresses.find((_, index) => answers[index] === false)?.endpoint
}

interface Address {
  readonly host: string
  readonly port: number
}

/** The path may contain variables; a host that is a variable cannot be checked. */
function addressOf(value: string): Address | undefined {
  const plain = value.replaceAll(/\{\{[^{}]*\}\}/g, 'x')
  if (!/^https?:\/\//i.test(plain) || !URL.canParse(plain)) return undefined
  const { hostname, port, protocol } = new URL(plain)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return { host, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) }
}

function answersAt({ host, port }: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: connect_ms_max })
    const end = (isThere: boolean) => {
      socket.destroy()
      resolve(isThere)
    }
    socket.once('connect', () => end(true))
    socket.once('timeout', () => end(false))
    socket.once('error', () => end(false))
  })
}
