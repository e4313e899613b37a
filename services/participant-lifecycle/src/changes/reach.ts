/** Whether somebody answers at an endpoint: a connection is opened, nothing is sent. */
import { connect } from 'node:net'
import type { WantedEndpoint } from './domain/wanted.ts'

const connect_ms_max = 2_000

/** The first endpoint at which nobody answers; those that are no addresses of servers are passed over. */
export async function unreachable(
  endpoints: readonly WantedEndpoint[],
): Promise<WantedEndpoint | undefined> {
  const places = endpoints.map((endpoint) => ({ endpoint, place: placeOf(endpoint.value) }))
  const answers = await Promise.all(
    places.map(({ place }) => (place === undefined ? Promise.resolve(true) : answersAt(place))),
  )
  return places.find((_, index) => answers[index] === false)?.endpoint
}

interface Place {
  readonly host: string
  readonly port: number
}

/** Variables may stand in the path; a host that is one is not known here. */
function placeOf(value: string): Place | undefined {
  const plain = value.replaceAll(/\{\{[^{}]*\}\}/g, 'x')
  if (!/^https?:\/\//i.test(plain) || !URL.canParse(plain)) return undefined
  const { hostname, port, protocol } = new URL(plain)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return { host, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) }
}

function answersAt({ host, port }: Place): Promise<boolean> {
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
