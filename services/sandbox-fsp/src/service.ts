/** The sandbox FSPs, and the PISP, in one process, each with ports of its own. */
import { createHttpClient } from '@causeway/http'
import type { Logger, Service } from '@causeway/process'
import { openBank, type Bank } from './bank.ts'
import { readCredentials } from './credentials.ts'
import type { SandboxName } from './customers.ts'
import type { FspEntry, Fsps } from './fsps.ts'
import { peerKeys } from './peer-keys.ts'
import { openSandboxPisp, pispName, type SandboxPisp } from './pisp.ts'
import type { Ports } from './ports.ts'
import type { SandboxFspSettings } from './settings.ts'

export interface Sandbox extends Service {
  readonly greenbank: Bank
  readonly bluewallet: Bank
  /** Undefined: it is not among the FSPs. */
  readonly amberpay: Bank | undefined
  /** Undefined: it is not among the FSPs. */
  readonly lemonpay: SandboxPisp | undefined
}

const timeout_ms = 3_000

/** Throws StartError for a port in use and for a missing file. */
export async function start(
  settings: SandboxFspSettings,
  fsps: Fsps,
  log: Logger,
): Promise<Sandbox> {
  const http = createHttpClient({ connections_per_origin_max: 4, timeout_ms })
  const open = new Map<string, Ports>()
  const keysOf = peerKeys(http, (fspId) => {
    const template = settings.SANDBOX_PEER_KEYS_URL
    if (template !== '') return template.replace('{name}', encodeURIComponent(fspId))
    const ports = open.get(fspId)
    return ports && `${ports.url}/.well-known/jwks.json`
  })
  const stop = async () => {
    await Promise.all([...open.values()].map((ports) => ports.stop()))
    await http.close()
  }

  const hasPayroll = fsps.amberpay !== undefined

  async function openOne(name: SandboxName, entry: FspEntry): Promise<Bank> {
    const credentials = await readCredentials(name, entry, settings)
    const bank = await openBank({
      ...portsOf(entry),
      name,
      credentials,
      keysOf,
      hasPayroll,
      settings,
      log,
    })
    open.set(name, bank)
    return bank
  }

  async function openPisp(entry: FspEntry): Promise<SandboxPisp> {
    const credentials = await readCredentials(pispName, entry, settings)
    const pisp = await openSandboxPisp({ ...portsOf(entry), credentials, keysOf, settings, log })
    open.set(pispName, pisp)
    return pisp
  }

  try {
    const greenbank = await openOne('greenbank', fsps.greenbank)
    const bluewallet = await openOne('bluewallet', fsps.bluewallet)
    const amberpay = fsps.amberpay && (await openOne('amberpay', fsps.amberpay))
    const lemonpay = fsps.lemonpay && (await openPisp(fsps.lemonpay))
    const urls = {
      greenbank: greenbank.url,
      bluewallet: bluewallet.url,
      amberpay: amberpay?.url,
      lemonpay: lemonpay?.url,
    }
    log.info(urls, 'the sandbox FSPs are open')
    return { greenbank, bluewallet, amberpay, lemonpay, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function portsOf({ port, callbackPort }: FspEntry): Pick<FspEntry, 'port' | 'callbackPort'> {
  return { port, callbackPort }
}
