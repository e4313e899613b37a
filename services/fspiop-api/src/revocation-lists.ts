/**
 * Revocation lists of the scheme's CAs, from a file that is read again at run time. A list that is overdue
 * is used for some days, with an alarm, so that nobody is shut out because a list was published late;
 * then no certificate of its CA is accepted.
 */
import type { X509Certificate } from 'node:crypto'
import { readCrls, type RevocationList } from '@causeway/pki'
import { periodically, readPem, StartError, type Logger, type Metrics } from '@causeway/process'
import { Gauge } from 'prom-client'
import type { Settings } from './settings.ts'

export type RevocationFault = 'CERTIFICATE_REVOKED' | 'REVOCATION_LIST_OVERDUE'

export interface RevocationLists {
  /** Why a certificate of this issuer is not accepted; no list of the issuer: no fault. */
  faultOf(issuer: string, serial: string): RevocationFault | undefined
  stop(): Promise<void>
}

export interface RevocationParts {
  readonly authorities: () => readonly X509Certificate[]
  readonly log: Logger
  readonly metrics: Metrics
  readonly now_ms: () => number
}

const day_ms = 86_400_000

/** Throws StartError for a file without a valid list; afterwards the last valid lists are used. */
export async function openRevocationLists(
  {
    EDGE_TLS_CRL_FILE: file,
    EDGE_TLS_CRL_OVERDUE_D: overdue_d,
    FSPIOP_API_TLS_RENEWAL_MS: renewal_ms,
  }: Settings,
  { authorities, log, metrics, now_ms }: RevocationParts,
): Promise<RevocationLists> {
  const read = async () => {
    const lists = readCrls(await readPem('EDGE_TLS_CRL_FILE', file), authorities())
    if ('fault' in lists) throw new StartError(`EDGE_TLS_CRL_FILE (${file}): ${lists.fault}.`)
    return new Map(lists.map((list) => [list.issuer, list]))
  }
  let lists: ReadonlyMap<string, RevocationList> = await read()
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
  const renewal = periodically(
    renewal_ms,
    async () => {
      lists = await read()
      tell()
    },
    { log, name: 'renewal of the revocation lists' },
  )
  return {
    faultOf(issuer, serial) {
      const list = lists.get(issuer)
      if (list === undefined) return undefined
      if (list.serials.has(serial)) return 'CERTIFICATE_REVOKED'
      return overdue_ms(list) > overdue_d * day_ms ? 'REVOCATION_LIST_OVERDUE' : undefined
    },
    stop: () => renewal.stop(),
  }
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
