/**
 * The operator port's address and TLS. Passwords and tokens pass through it, so it listens beyond this
 * machine only with TLS, or where a gateway in front of it terminates TLS.
 */
import { isLoopbackHost, type HttpServer, type ServerTls } from '@causeway/http'
import {
  periodically,
  readPem,
  StartError,
  type InsecureMode,
  type Logger,
  type Service,
} from '@causeway/process'
import type { Settings } from './settings.ts'

export type DoorSettings = Pick<
  Settings,
  'OPERATOR_HOST' | 'OPERATOR_IDENTITY' | Extract<keyof Settings, `OPERATOR_TLS${string}`>
>

/** Throws StartError for a port that would be open, or readable, to other machines. */
export function refuseOpenDoor({
  OPERATOR_HOST: host,
  OPERATOR_IDENTITY,
  OPERATOR_TLS,
}: DoorSettings): void {
  if (isLoopbackHost(host)) return
  if (OPERATOR_IDENTITY === 'none') {
    throw new StartError(
      `OPERATOR_HOST=${host} is reachable from other machines, and OPERATOR_IDENTITY=none does not authenticate: set OPERATOR_HOST=127.0.0.1 or OPERATOR_IDENTITY=token.`,
    )
  }
  if (OPERATOR_TLS === 'off') {
    throw new StartError(
      `OPERATOR_HOST=${host} is reachable from other machines, and OPERATOR_TLS=off sends passwords in plain text: set OPERATOR_TLS=on, or OPERATOR_TLS=gateway behind a gateway that terminates TLS.`,
    )
  }
}

/** Plain http beyond this machine, which only a gateway may reach. */
export function doorModes({ OPERATOR_HOST, OPERATOR_TLS }: DoorSettings): readonly InsecureMode[] {
  if (OPERATOR_TLS !== 'gateway' || isLoopbackHost(OPERATOR_HOST)) return []
  return [
    {
      mode: 'OPERATOR_TLS=gateway',
      consequence: 'the operator port is plain http; only its gateway may reach it',
    },
  ]
}

/** Undefined: plain http. Throws StartError for a missing file. */
export async function readDoorTls(settings: DoorSettings): Promise<ServerTls | undefined> {
  if (settings.OPERATOR_TLS !== 'on') return undefined
  const pem = (name: 'OPERATOR_TLS_CERTIFICATE_FILE' | 'OPERATOR_TLS_KEY_FILE') =>
    readPem(name, settings[name])
  return {
    certificate: await pem('OPERATOR_TLS_CERTIFICATE_FILE'),
    key: await pem('OPERATOR_TLS_KEY_FILE'),
    ca: '',
    asksClient: false,
    minVersion: settings.OPERATOR_TLS_MIN_VERSION,
  }
}

/** Inconsistent files are logged and read again later; until then the old ones are used. */
export function renewDoorTls(
  settings: DoorSettings,
  opened: ServerTls | undefined,
  server: Pick<HttpServer, 'renewTls'>,
  log: Logger,
): Service {
  if (opened === undefined) return { stop: () => Promise.resolve() }
  let shown = opened
  return periodically(
    settings.OPERATOR_TLS_RENEWAL_MS,
    async () => {
      const read = await readDoorTls(settings)
      const isSame = read?.certificate === shown.certificate && read.key === shown.key
      if (read === undefined || isSame) return
      server.renewTls(read)
      shown = read
      log.info('the certificate of the operator port was renewed')
    },
    { log, name: 'renewal of the certificate of the operator port' },
  )
}
