/** A running hub with onboarded FSPs: the start of most stories. */
import { openApartHub, retryWhileBusy } from './apart.ts'
import type { Fsp } from '../fsp/fsp.ts'
import { freePorts, removeDataDir, startHub } from './hub-process.ts'
import { processes, type HubHost } from './hub-host.ts'
import { sharedHub, type HubAddress, type SharedHub, type HubSettings } from './hubs.ts'
import { joinScheme } from '../operator/join.ts'
import { operatorAt, type Onboarding, type Operator } from '../operator/operator.ts'
import { processNames } from './services.ts'
import { restartEnded } from './supervisor.ts'
import { copyTemplate } from './template.ts'

/** In one process, or each service in a container of its own. */
interface RunningHub extends SharedHub {
  killAndRestart(): Promise<void>
}

export interface Scheme {
  readonly hub: Pick<RunningHub, 'urls'>
  readonly operator: Operator
  /** Participants authenticate with certificates and sign what they send. */
  readonly isSafe: boolean
  /** Opens a further FSP and onboards it. */
  join(name: string, onboarding?: Onboarding): Promise<Fsp>
  /** The result of POST /verify. */
  verify(): Promise<unknown>
  stop(): Promise<void>
}

/** A scheme on a hub of its own. */
export interface OwnScheme extends Scheme {
  /** Ends the hub with SIGKILL and starts it again on the same data and the same ports. */
  killAndRestart(): Promise<void>
}

/** FSPs are identified by their headers alone, and no message is signed. */
export const insecureSettings = {
  EDGE_IDENTITY: 'header',
  JWS_VERIFY: 'off',
  JWS_SIGN: 'off',
} as const

/**
 * Without certificates and signatures, so that a story can send any bytes. With `isSafe` the hub
 * has its default settings: each FSP that joins has a certificate and signs what it sends.
 */
export async function openSchemeOfFsps(settings: HubSettings = {}): Promise<OwnScheme> {
  const hub = await openHub({ ...insecureSettings, ...settings })
  const scheme = schemeAt(hub, hub.operator, false)
  return {
    ...scheme,
    killAndRestart: () => hub.killAndRestart(),
    stop: async () => {
      await hub.stop()
      await scheme.stop()
    },
  }
}

/**
 * The same hub for all stories of a run. Each story has FSPs of its own, named after it, and checks
 * only what these send and receive.
 */
export function shareSchemeOfFsps(): Promise<Scheme> {
  return share(insecureSettings, false)
}

/** A second hub for all stories, with certificates and signatures. */
export function shareSafeScheme(): Promise<Scheme> {
  return share({}, true)
}

async function share(settings: HubSettings, isSafe: boolean): Promise<Scheme> {
  const hub = await sharedHub(settings)
  const operator = operatorAt(hub.urls.operator, hub.passwordFile)
  return schemeAt(hub, isApart() ? retryWhileBusy(operator) : operator, isSafe)
}

function schemeAt(hub: HubAddress, operator: Operator, isSafe: boolean): Scheme {
  const fsps: Fsp[] = []
  return {
    hub,
    operator,
    isSafe,
    join: async (name, onboarding) => {
      const access = { operator, fspUrl: () => hub.urls.fsp, isSafe }
      const fsp = await joinScheme(access, name, onboarding)
      fsps.push(fsp)
      return fsp
    },
    verify: async () => (await operator.call('POST', '/verify')).json,
    stop: async () => {
      await Promise.all(fsps.map((fsp) => fsp.stop()))
    },
  }
}

const isApart = () => process.env['CAUSEWAY_TEST_HOUSE'] === 'containers'

/** Where a story starts further programs: in containers of the image where the hub runs in them. */
export async function programHost(): Promise<HubHost> {
  return isApart() ? (await import('./containers.ts')).containers : processes
}

export function openHub(settings: HubSettings): Promise<RunningHub> {
  const all = { LOG_LEVEL: 'warn', ...settings }
  return isApart() ? openInContainers(all) : openInOneProcess(all)
}

async function openInOneProcess(settings: HubSettings): Promise<RunningHub> {
  const dataDir = await copyTemplate()
  const options = { dataDir, settings: { ...(await freePorts()), ...settings } }
  let hub = await startHub(options)
  return {
    operator: operatorAt(hub.urls.operator, hub.passwordFile),
    passwordFile: hub.passwordFile,
    get urls() {
      return hub.urls
    },
    killAndRestart: async () => {
      await hub.kill()
      hub = await startHub(options)
    },
    stop: async () => {
      await hub.stop()
      await removeDataDir(dataDir)
    },
  }
}

async function openInContainers(settings: HubSettings): Promise<RunningHub> {
  const { containers } = await import('./containers.ts')
  const hub = await openApartHub(settings, containers)
  const supervision = restartEnded(hub, (line) => process.stderr.write(`${line}\n`))
  return {
    operator: hub.operator,
    passwordFile: hub.passwordFile,
    urls: hub.urls,
    killAndRestart: async () => {
      await Promise.all(processNames.map((name) => hub.kill(name)))
      await Promise.all(processNames.map((name) => hub.start(name)))
    },
    stop: async () => {
      supervision.abort()
      await hub.stop()
    },
  }
}
