/** The two sandbox FSPs in one process, each on a port of its own as two FSPs would be. */
import type { Logger, Service } from '@causeway/runtime'
import { openBank, type Bank } from './bank.ts'
import type { Settings } from './settings.ts'

export interface Sandbox extends Service {
  readonly greenbank: Bank
  readonly bluewallet: Bank
}

export async function start(settings: Settings, log: Logger): Promise<Sandbox> {
  const greenbank = await openBank('greenbank', settings.SANDBOX_GREENBANK_PORT, settings, log)
  let bluewallet: Bank
  try {
    bluewallet = await openBank('bluewallet', settings.SANDBOX_BLUEWALLET_PORT, settings, log)
  } catch (error) {
    await greenbank.stop()
    throw error
  }
  log.info({ greenbank: greenbank.url, bluewallet: bluewallet.url }, 'the sandbox FSPs are open')
  return {
    greenbank,
    bluewallet,
    async stop() {
      await Promise.all([greenbank.stop(), bluewallet.stop()])
    },
  }
}
