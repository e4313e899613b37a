/** A running hub with onboarded FSPs: what most stories begin with. */
import { openApartHub } from './apart.ts'
import type { Fsp } from './fsp.ts'
import { freePorts, removeDataDir, startHub, type HubOptions } from './hub-process.ts'
import { joinScheme } from './join.ts'
import { operatorAt, type Onboarding, type Operator } from './operator.ts'
import { processNames } from './services.ts'
import { copyTemplate } from './template.ts'

/** In one process, or each service in a container of its own. */
interface RunningHub {
  readonly operator: Operator
  readonly urls: { readonly fsp: string; readonly operator: string }
  killAndRestart(): Promise<void>
  stop(): Promise<void>
}

export interface Scheme {
  readonly hub: Pick<RunningHub, 'urls'>
  readonly operator: Operator
  /** Opens a further FSP and onboards it. */
  join(name: string, onboarding?: Onboarding): Promise<Fsp>
  /** Ends the hub with SIGKILL and starts it again on the same data and the same ports. */
  killAndRestart(): Promise<void>
  /** What the hub's own comparison says. */
  verify(): Promise<unknown>
  stop(): Promise<void>
}

/** FSPs that are whom they say they are, and messages that nobody signs. */
export const openDoors = {
  EDGE_IDENTITY: 'header',
  JWS_VERIFY: 'off',
  JWS_SIGN: 'off',
} as const

/**
 * Without certificates and signatures, so that a story can send every byte as it likes; `openSafeScheme`
 * is the hub as it is by default.
 */
export function openSchemeOfFsps(settings: HubOptions['settings'] = {}): Promise<Scheme> {
  return open({ ...openDoors, ...settings }, false)
}

/** Each FSP that joins has a certificate of the scheme and signs what it sends. */
export function openSafeScheme(settings: HubOptions['settings'] = {}): Promise<Scheme> {
  return open(settings, true)
}

async function open(settings: Readonly<Record<string, string>>, isSafe: boolean): Promise<Scheme> {
  const isApart = process.env['CAUSEWAY_TEST_HOUSE'] === 'containers'
  const all = { LOG_LEVEL: 'warn', ...settings }
  const hub = isApart ? await openInContainers(all) : await openInOneProcess(all)
  const { operator } = hub
  const fsps: Fsp[] = []
  return {
    hub,
    operator,
    join: async (name, onboarding) => {
      const doors = { operator, fspUrl: () => hub.urls.fsp, isSafe }
      const fsp = await joinScheme(doors, name, onboarding)
      fsps.push(fsp)
      return fsp
    },
    killAndRestart: () => hub.killAndRestart(),
    verify: async () => (await operator.call('POST', '/verify')).json,
    stop: async () => {
      await hub.stop()
      await Promise.all(fsps.map((fsp) => fsp.stop()))
    },
  }
}

async function openInOneProcess(settings: Readonly<Record<string, string>>): Promise<RunningHub> {
  const dataDir = await copyTemplate()
  const options = { dataDir, settings: { ...(await freePorts()), ...settings } }
  let hub = await startHub(options)
  return {
    operator: operatorAt(hub.urls.operator, hub.passwordFile),
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

async function openInContainers(settings: Readonly<Record<string, string>>): Promise<RunningHub> {
  const { containers } = await import('./containers.ts')
  const hub = await openApartHub(settings, containers)
  return {
    operator: hub.operator,
    urls: hub.urls,
    killAndRestart: async () => {
      await Promise.all(processNames.map((name) => hub.kill(name)))
      await Promise.all(processNames.map((name) => hub.start(name)))
    },
    stop: async () => {
      await hub.stop()
    },
  }
}
