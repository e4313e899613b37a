/**
 * The operator port's address and TLS. Passwords and tokens pass through it, so it listens beyond this
 * machine only with TLS, or where a gateway in front of it terminates TLS.
 */
import {
  isLoopbackHost,
  reachOf,
  refuseRelaxations,
  type HttpServer,
  type ServerTls,
} from '@causeway/http'
import {
  periodically,
  readPem,
  type Logger,
  type RelaxationName,
  type Service,
} from '@causeway/process'
import type { AdminSettings } from './settings.ts'

export type DoorSettings = Pick<
  AdminSettings,
  | 'OPERATOR_HOST'
  | 'OPERATOR_IDENTITY'
  | 'ACCEPT_RELAXATIONS'
  | 'TLS_RENEWAL_MS'
  | Extract<keyof AdminSettings, `OPERATOR_TLS${string}`>
>

/**
 * Throws StartError for a relaxation that the port is reached too far for.
 * @param fourEyes whether each change needs a second person
 * @param isSole whether all services are this one process: a gateway is in front of the port otherwise
 */
export function refuseOpenDoor(settings: DoorSettings, fourEyes: boolean, isSole: boolean): void {
  const { OPERATOR_HOST: host, ACCEPT_RELAXATIONS: accepted } = settings
  const found = doorModes(settings, fourEyes).filter((mode) => mode !== 'FOUR_EYES=optional')
  const reach = reachOf(host)
  refuseRelaxations(found, { shown: `OPERATOR_HOST=${host}`, reach, accepted })
  if (fourEyes) return
  refuseRelaxations(['FOUR_EYES=optional'], {
    shown: isSole ? `OPERATOR_HOST=${host}` : 'The operator port of services that run apart',
    reach: isSole ? reach : 'public',
    accepted,
  })
}

/**
 * Whether each change over the administration API needs a second person.
 * @param isSole whether all services are this one process
 */
export function needsFourEyes(
  { FOUR_EYES, OPERATOR_HOST }: Pick<AdminSettings, 'FOUR_EYES' | 'OPERATOR_HOST'>,
  isSole: boolean,
): boolean {
  if (FOUR_EYES !== 'auto') return FOUR_EYES === 'required'
  return !(isSole && isLoopbackHost(OPERATOR_HOST))
}

/** What the settings relax, for the start, the metrics and readiness. */
export function doorModes(
  { OPERATOR_HOST, OPERATOR_IDENTITY, OPERATOR_TLS }: DoorSettings,
  fourEyes: boolean,
): readonly RelaxationName[] {
  const isLocal = isLoopbackHost(OPERATOR_HOST)
  const found = {
    'OPERATOR_IDENTITY=none': OPERATOR_IDENTITY === 'none',
    'OPERATOR_TLS=off': OPERATOR_TLS === 'off' && !isLocal,
    'OPERATOR_TLS=gateway': OPERATOR_TLS === 'gateway' && !isLocal,
    'FOUR_EYES=optional': !fourEyes,
  } as const satisfies Partial<Readonly<Record<RelaxationName, boolean>>>
  return (Object.keys(found) as (keyof typeof found)[]).filter((name) => found[name])
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
    settings.TLS_RENEWAL_MS,
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
