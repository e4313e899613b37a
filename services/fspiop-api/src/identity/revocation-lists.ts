/**
 * Revocation lists of the scheme's CAs, from a file or from the https addresses of the CAs, read again at
 * run time. A list is never replaced by an older one, and stays while no other can be read. One that is
 * overdue is used for some days, with an alarm, so that nobody is shut out because a list was published
 * late; then no certificate of its CA is accepted.
 */
import { createHash, type X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { webAddressFault } from '@causeway/fspiop'
import type { Http, HttpClient } from '@causeway/http'
import { readCrls, type RevocationList } from '@causeway/pki'
import {
  listIn,
  type Logger,
  type Metrics,
  periodically,
  readPem,
  StartError,
} from '@causeway/process'
import { Gauge } from 'prom-client'
import type { FspiopApiSettings } from '../settings.ts'

export type RevocationFault = 'CERTIFICATE_REVOKED' | 'REVOCATION_LIST_OVERDUE'

export interface RevocationLists {
  /** Why a certificate of this issuer is not accepted; no list of the issuer: no fault. */
  faultOf(issuer: string, serial: string): RevocationFault | undefined
  stop(): Promise<void>
}

export interface RevocationParts {
  readonly authorities: () => readonly X509Certificate[]
  readonly http: Http
  readonly log: Logger
  readonly metrics: Metrics
  readonly now_ms: () => number
}

/** Where lists are, and how they are read from there. */
interface Source {
  /** As in errors: the setting and what it names. */
  readonly name: string
  readonly read: () => Promise<Buffer>
}

const day_ms = 86_400_000
const timeout_ms = 10_000
const list_bytes_max = 16 * 2 ** 20

/** Throws StartError where there is no valid list; afterwards the last valid lists are used. */
export async function openRevocationLists(
  settings: FspiopApiSettings,
  { authorities, http, log, metrics, now_ms }: RevocationParts,
): Promise<RevocationLists> {
  const { EDGE_TLS_CRL_OVERDUE_D: overdue_d, TLS_RENEWAL_MS: renewal_ms } = settings
  const client = await clientFor(settings, http)
  const sources = sourcesIn(settings, client)
  const lists = new Map<string, RevocationList>()
  const readIfChanged = reader(authorities)
  const take = (source: Source) => readIfChanged(source).then((read) => keep(lists, read, log))
  for (const source of sources) {
    await take(source).catch(async (error: unknown) => {
      await client?.close()
      throw error
    })
  }
  const overdue_ms = ({ nextUpdate }: RevocationList) =>
    Math.max(now_ms() - nextUpdate.getTime(), 0)
  measure(metrics, () => Math.max(0, ...[...lists.values()].map(overdue_ms)))
  const tell = () => {
    for (const list of lists.values()) {
      if (overdue_ms(list) === 0) continue
      const { issuer, nextUpdate } = list
      log.error({ issuer, nextUpdate, overdue_d }, 'ALARM a revocation list is overdue')
    }
  }
  tell()
  const renewals = sources.map((source) =>
    periodically(renewal_ms, () => take(source).finally(tell), {
      log,
      name: `renewal of the revocation lists of ${source.name}`,
    }),
  )
  return {
    faultOf(issuer, serial) {
      const list = lists.get(issuer)
      if (list === undefined) return undefined
      if (list.serials.has(serial)) return 'CERTIFICATE_REVOKED'
      return overdue_ms(list) > overdue_d * day_ms ? 'REVOCATION_LIST_OVERDUE' : undefined
    },
    async stop() {
      for (const renewal of renewals) await renewal.stop()
      await client?.close()
    },
  }
}

/** What is signed may still be old: a server that repeats an old list brings no revoked certificate back. */
function keep(
  lists: Map<string, RevocationList>,
  read: readonly RevocationList[],
  log: Logger,
): void {
  for (const list of read) {
    const { issuer, thisUpdate } = list
    const known = lists.get(issuer)
    if (known !== undefined && known.thisUpdate > thisUpdate) {
      log.error({ issuer, thisUpdate }, 'a revocation list is older than the one in use: ignored')
    } else {
      lists.set(issuer, list)
    }
  }
}

/** Reads a source; none of its lists when they are those that it had before: reading long ones takes seconds. */
function reader(authorities: RevocationParts['authorities']) {
  /** The digest of what was read last, by source. */
  const known = new Map<string, string>()
  return async ({ name, read }: Source): Promise<readonly RevocationList[]> => {
    const content = await read().catch((error: unknown) => {
      throw new StartError(`${name}: ${(error as Error).message}.`)
    })
    const trusted = authorities()
    const digest = createHash('sha256').update(content)
    for (const { fingerprint256 } of trusted) digest.update(fingerprint256)
    const found = digest.digest('base64url')
    if (known.get(name) === found) return []
    const lists = readCrls(content, trusted)
    if ('fault' in lists) throw new StartError(`${name}: ${lists.fault}.`)
    known.set(name, found)
    return lists
  }
}

function sourcesIn(
  { EDGE_TLS_CRL_FILE: file, EDGE_TLS_CRL_URL }: FspiopApiSettings,
  client: HttpClient | undefined,
): readonly Source[] {
  const ofFile =
    file === undefined ? [] : [{ name: `EDGE_TLS_CRL_FILE (${file})`, read: () => readFile(file) }]
  const ofUrls = urlsIn(EDGE_TLS_CRL_URL).map((url) => ({
    name: `EDGE_TLS_CRL_URL (${url})`,
    read: () => fetched(client, url),
  }))
  return [...ofFile, ...ofUrls]
}

function urlsIn(text: string): readonly string[] {
  const urls = listIn(text)
  const wrong = urls.find((url) => webAddressFault(url) !== undefined || !/^https:/i.test(url))
  if (wrong !== undefined) throw new StartError(`EDGE_TLS_CRL_URL: ${wrong} is no https address.`)
  return urls
}

async function clientFor(
  { EDGE_TLS_CRL_URL, EDGE_TLS_CRL_URL_CA_FILE: caFile }: FspiopApiSettings,
  http: Http,
): Promise<HttpClient | undefined> {
  if (urlsIn(EDGE_TLS_CRL_URL).length === 0) return undefined
  const ca = caFile === undefined ? undefined : await readPem('EDGE_TLS_CRL_URL_CA_FILE', caFile)
  return http.client({
    connections_per_origin_max: 1,
    timeout_ms,
    body_bytes_max: list_bytes_max,
    tls: { certificate: undefined, key: undefined, ca },
  })
}

async function fetched(client: HttpClient | undefined, url: string): Promise<Buffer> {
  if (client === undefined) throw new Error('there is no client')
  const { status, body, truncated } = await client.request({ method: 'GET', url, headers: {} })
  if (status !== 200) throw new Error(`it was answered with ${status}`)
  if (truncated) throw new Error(`it is longer than ${list_bytes_max} bytes`)
  return body
}

function measure(metrics: Metrics, overdue_ms: () => number): void {
  new Gauge({
    name: 'fspiop_api_revocation_list_overdue_seconds',
    help: 'how long ago the next revocation list of a CA should have been read',
    registers: [metrics],
    collect() {
      this.set(overdue_ms() / 1_000)
    },
  })
}
