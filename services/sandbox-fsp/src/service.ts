/** The sandbox FSPs, and the PISP, in one process, each with ports of its own. */
import { createHttpClient } from '@causeway/http'
import type { Logger, Service } from '@causeway/process'
import { openBank, type Bank } from './bank.ts'
import { readCredentials } from './credentials.ts'
import type { SandboxName } from './customers.ts'
import { peerKeys } from './peer-keys.ts'
import { openSandboxPisp, pispName, type SandboxPisp } from './pisp.ts'
import type { Ports } from './ports.ts'
import type { Settings } from './settings.ts'

export interface Sandbox extends Service {
  readonly greenbank: Bank
  readonly bluewallet: Bank
  /** Undefined: SANDBOX_BULK is off. */
  readonly amberpay: Bank | undefined
  /** Undefined: SANDBOX_PISP is off. */
  readonly lemonpay: SandboxPisp | undefined
}

const timeout_ms = 3_000

/** Throws StartError for a port in use and for a missing file. */
export async function start(settings: Settings, log: Logger): Promise<Sandbox> {
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

  async function openOne(name: SandboxName, port: number, tlsPort: number): Promise<Bank> {
    const credentials = await readCredentials(name, settings)
    const bank = await openBank({ name, port, tlsPort, credentials, keysOf, settings, log })
    open.set(name, bank)
    return bank
  }

  async function openPisp(): Promise<SandboxPisp | undefined> {
    if (settings.SANDBOX_PISP === 'off') return undefined
    const pisp = await openSandboxPisp({
      port: settings.SANDBOX_LEMONPAY_PORT,
      tlsPort: settings.SANDBOX_LEMONPAY_TLS_PORT,
      credentials: await readCredentials(pispName, settings),
      keysOf,
      settings,
      log,
    })
    open.set(pispName, pisp)
    return pisp
  }

  try {
    const greenbank = await openOne(
      'greenbank',
      settings.SANDBOX_GREENBANK_PORT,
      settings.SANDBOX_GREENBANK_TLS_PORT,
    )
    const bluewallet = await openOne(
      'bluewallet',
      settings.SANDBOX_BLUEWALLET_PORT,
      settings.SANDBOX_BLUEWALLET_TLS_PORT,
    )
    const amberpay =
      settings.SANDBOX_BULK === 'off'
        ? undefined
        : await openOne(
            'amberpay',
            settings.SANDBOX_AMBERPAY_PORT,
            settings.SANDBOX_AMBERPAY_TLS_PORT,
          )
    const lemonpay = await openPisp()
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
