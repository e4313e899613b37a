/** The two sandbox FSPs in one process, each on ports of its own as two FSPs would be. */
import { createHttpClient, type Logger, type Service } from '@causeway/runtime'
import { openBank, type Bank } from './bank.ts'
import { readCredentials } from './credentials.ts'
import type { SandboxName } from './customers.ts'
import { peerKeys } from './peer-keys.ts'
import type { Settings } from './settings.ts'

export interface Sandbox extends Service {
  readonly greenbank: Bank
  readonly bluewallet: Bank
}

const timeout_ms = 3_000

/** Throws StartError for a port in use and for a file that is missing. */
export async function start(settings: Settings, log: Logger): Promise<Sandbox> {
  const http = createHttpClient({ connections_per_origin_max: 4, timeout_ms })
  const banks = new Map<string, Bank>()
  const keysOf = peerKeys(http, (fspId) => {
    const template = settings.SANDBOX_PEER_KEYS_URL
    if (template !== '') return template.replace('{name}', encodeURIComponent(fspId))
    const bank = banks.get(fspId)
    return bank && `${bank.url}/.well-known/jwks.json`
  })
  const stop = async () => {
    await Promise.all([...banks.values()].map((bank) => bank.stop()))
    await http.close()
  }

  async function open(name: SandboxName, port: number, tlsPort: number): Promise<Bank> {
    const credentials = await readCredentials(name, settings)
    const bank = await openBank({ name, port, tlsPort, credentials, keysOf, settings, log })
    banks.set(name, bank)
    return bank
  }

  try {
    const greenbank = await open(
      'greenbank',
      settings.SANDBOX_GREENBANK_PORT,
      settings.SANDBOX_GREENBANK_TLS_PORT,
    )
    const bluewallet = await open(
      'bluewallet',
      settings.SANDBOX_BLUEWALLET_PORT,
      settings.SANDBOX_BLUEWALLET_TLS_PORT,
    )
    log.info({ greenbank: greenbank.url, bluewallet: bluewallet.url }, 'the sandbox FSPs are open')
    return { greenbank, bluewallet, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
