/** A running hub with onboarded FSPs: what most stories begin with. */
import { enrol } from './credentials.ts'
import { openFsp, type Fsp } from './fsp.ts'
import {
  freePorts,
  newDataDir,
  removeDataDir,
  startHub,
  type HubOptions,
  type HubProcess,
} from './hub-process.ts'
import {
  answered,
  onboard,
  openScheme,
  operatorAt,
  type Onboarding,
  type Operator,
} from './operator.ts'

export interface Scheme {
  readonly hub: HubProcess
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
  const dataDir = await newDataDir()
  const options = {
    dataDir,
    settings: { ...(await freePorts()), LOG_LEVEL: 'warn', ...settings },
  }
  let hub = await startHub(options)
  const operator = operatorAt(hub.urls.operator, hub.passwordFile)
  try {
    await openScheme(operator)
  } catch (error) {
    // Nobody else could stop it: the story never gets to see it.
    await hub.stop()
    await removeDataDir(dataDir)
    throw error
  }
  const fsps: Fsp[] = []
  return {
    get hub() {
      return hub
    },
    operator,
    join: async (name, onboarding) => {
      if (isSafe) {
        const { currency = 'USD' } = onboarding ?? {}
        await answered(operator.call('POST', '/participants', { name, currency }))
      }
      const credentials = isSafe ? await enrol(operator, name) : undefined
      const fsp = await openFsp(name, () => hub.urls.fsp, credentials)
      fsps.push(fsp)
      await onboard(operator, fsp, onboarding)
      return fsp
    },
    killAndRestart: async () => {
      await hub.kill()
      hub = await startHub(options)
    },
    verify: async () => (await operator.call('POST', '/verify')).json,
    stop: async () => {
      await hub.stop()
      await Promise.all(fsps.map((fsp) => fsp.stop()))
      await removeDataDir(dataDir)
    },
  }
}
