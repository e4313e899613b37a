/** An external oracle over real HTTP: it stores associations, or answers as a test prescribes. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface OracleCall {
  readonly method: string
  /** With its query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

export interface Reply {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

interface OracleEntry {
  readonly fspId: string
  readonly currency?: string
  readonly partySubIdOrType?: string
}

export interface OracleStandIn {
  readonly url: string
  readonly calls: OracleCall[]
  /** The maximum number of concurrent calls. */
  readonly busiest: () => number
  /** The stored associations, by "TYPE/identifier". */
  readonly entries: Map<string, OracleEntry[]>
  /**
   * Undefined: the default behaviour. A promise that never resolves is a reply that never arrives.
   */
  answer: ((call: OracleCall) => Reply | undefined | Promise<Reply>) | undefined
  stop(): Promise<void>
}

export async function openOracle(): Promise<OracleStandIn> {
  const calls: OracleCall[] = []
  const entries = new Map<string, OracleEntry[]>()
  let underWay = 0
  let most = 0
  const server = createServer((request, response) => {
    most = Math.max(most, ++underWay)
    response.on('close', () => underWay--)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const text = Buffer.concat(chunks).toString()
      const body: unknown = text === '' ? undefined : JSON.parse(text)
      const call = { method, url, headers, body }
      calls.push(call)
      void Promise.resolve(standIn.answer?.(call)).then((reply) => {
        const { status, headers: more, body: sent } = reply ?? served(call, entries)
        response.writeHead(status, { 'content-type': 'application/json', ...more })
        response.end(typeof sent === 'string' ? sent : JSON.stringify(sent))
      })
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const standIn: OracleStandIn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    busiest: () => most,
    entries,
    answer: undefined,
    stop() {
      server.closeAllConnections()
      return new Promise((resolve) => {
        server.close(() => resolve())
      })
    },
  }
  return standIn
}

function served({ method, url, body }: OracleCall, entries: Map<string, OracleEntry[]>): Reply {
  const { pathname, searchParams } = new URL(url, 'http://oracle')
  const [, type, identifier] = pathname.split('/').slice(1).map(decodeURIComponent)
  if (type === undefined || identifier === undefined) return servedMany(body, entries)
  const key = `${type}/${identifier}`
  const held = entries.get(key) ?? []
  const currency = searchParams.get('currency')
  const subId = searchParams.get('partySubIdOrType') ?? undefined
  const isMeant = (entry: OracleEntry) =>
    entry.partySubIdOrType === subId && (currency === null || entry.currency === currency)
  switch (method) {
    case 'GET':
      return { status: 200, body: { partyList: held.filter(isMeant) } }
    case 'DELETE':
      entries.set(
        key,
        held.filter((entry) => !isMeant(entry)),
      )
      return { status: held.some(isMeant) ? 204 : 404 }
    default:
      entries.set(key, [...held, body as OracleEntry])
      return { status: method === 'PUT' ? 200 : 201 }
  }
}

function servedMany(body: unknown, entries: Map<string, OracleEntry[]>): Reply {
  interface Many {
    readonly partyList: readonly (OracleEntry & { partyIdType: string; partyIdentifier: string })[]
  }
  const { partyList } = body as Many
  return {
    status: 201,
    body: {
      partyList: partyList.map(({ partyIdType, partyIdentifier, ...entry }) => {
        const key = `${partyIdType}/${partyIdentifier}`
        const partyId = { partyIdType, partyIdentifier, ...entry }
        const held = entries.get(key) ?? []
        if (held.some(({ fspId }) => fspId !== entry.fspId)) {
          const errorInformation = { errorCode: '3003', errorDescription: 'not yours' }
          return { partyId, errorInformation }
        }
        entries.set(key, [entry])
        return { partyId }
      }),
    },
  }
}
