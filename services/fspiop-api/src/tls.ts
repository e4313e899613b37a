/**
 * TLS of the FSP port: certificate, key and CA are files that are read again at run time, so that a new
 * certificate needs no restart.
 */
import type { HttpServer, ServerTls } from '@causeway/http'
import { periodically, readPem, type Logger, type Periodic } from '@causeway/process'
import type { Settings } from './settings.ts'

/** EDGE_IDENTITY=header is for development and uses plain http. */
export function isPlain({ EDGE_IDENTITY, EDGE_TLS }: Settings): boolean {
  return EDGE_IDENTITY === 'header' || EDGE_TLS === 'off'
}

/** Undefined: plain http. Throws StartError for a missing file. */
export async function readTls(settings: Settings): Promise<ServerTls | undefined> {
  if (isPlain(settings)) return undefined
  const pem = (name: keyof Settings & `EDGE_TLS_${string}_FILE`) => readPem(name, settings[name])
  const asksClient = settings.EDGE_IDENTITY === 'mtls'
  return {
    certificate: await pem('EDGE_TLS_CERTIFICATE_FILE'),
    key: await pem('EDGE_TLS_KEY_FILE'),
    ca: asksClient ? await pem('EDGE_TLS_CA_FILE') : '',
    asksClient,
  }
}

/** Inconsistent files are logged and read again later; until then the old ones are used. */
export function renewTls(
  settings: Settings,
  opened: ServerTls,
  server: Pick<HttpServer, 'renewTls'>,
  log: Logger,
): Periodic {
  let shown = opened
  return periodically(
    settings.FSPIOP_API_TLS_RENEWAL_MS,
    async () => {
      const read = await readTls(settings)
      if (read === undefined || isSame(read, shown)) return
      server.renewTls(read)
      shown = read
      log.info('the certificate of the FSP port was renewed')
    },
    { log, name: 'renewal of the certificate of the FSP port' },
  )
}

function isSame(one: ServerTls, other: ServerTls): boolean {
  return one.certificate === other.certificate && one.key === other.key && one.ca === other.ca
}
