/**
 * The currencies that the scheme uses, with their decimals: SCHEME_CURRENCIES of the set GLOBAL at
 * config. While operators have listed none, every currency is used with the decimals of ISO 4217.
 */
import { currencyExponent } from '@causeway/money'
import type { Service } from '@causeway/process'
import { configurationsService, type ConfigurationSet } from '@causeway/protos'
import type { ServiceName } from '@causeway/services'
import type { LiveSettingsParts } from './live-settings.ts'
import { followContext } from './values.ts'

export interface SchemeCurrencies extends Service {
  /** How many decimals amounts may have; undefined: the scheme does not use the currency. */
  decimalsOf(currency: string): number | undefined
}

const contextId = 'GLOBAL'
const parameter = 'SCHEME_CURRENCIES'

export async function openSchemeCurrencies(
  service: ServiceName,
  parts: LiveSettingsParts,
  wait_ms = 1_000,
): Promise<SchemeCurrencies> {
  const { GetConfiguration } = parts.grpc.client(configurationsService, 'config')
  let listed: ReadonlyMap<string, number> = new Map()
  const following = await followContext(
    {
      service,
      contextId,
      ask: (options) => GetConfiguration({ boundedContextId: contextId }, options),
      onConfiguration(configuration) {
        listed = listedIn(configuration)
      },
    },
    parts,
    wait_ms,
  )
  return {
    decimalsOf: (currency) =>
      listed.size === 0 ? currencyExponent(currency) : listed.get(currency),
    stop: () => following.stop(),
  }
}

/** config has checked the form of the value. */
function listedIn({ parameters }: ConfigurationSet): ReadonlyMap<string, number> {
  const found = parameters.find(({ name }) => name === parameter)
  const listed = JSON.parse(found?.currentJson ?? '[]') as readonly {
    readonly currency: string
    readonly decimals: number
  }[]
  return new Map(listed.map(({ currency, decimals }) => [currency, decimals]))
}
