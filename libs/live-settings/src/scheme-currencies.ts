/**
 * The currencies that the scheme uses, with their decimals: SCHEME_CURRENCIES of the set GLOBAL at
 * config. While operators have listed none, every currency is used with the decimals of ISO 4217. One
 * setting says whether these decimals bound amounts.
 */
import { currencies, currencyExponent, isCurrency, type DecimalBounds } from '@causeway/money'
import { choice, type Service } from '@causeway/process'
import { configurationsService, type ConfigurationSet } from '@causeway/protos'
import type { ServiceName } from '@causeway/services'
import { followContext, type LiveSettingsParts } from './values.ts'

/** The setting of each service that amounts enter through. */
export const amountDecimals = choice({
  about:
    'how many decimals an amount may have, in messages of FSPs, funds, limits, exclusions, initial ' +
    'positions and fees alike: four, or those of its currency (SCHEME_CURRENCIES at config, else ISO ' +
    '4217)',
  options: ['four', 'currency'],
  default: 'four',
})

export interface SchemeCurrencies extends Service {
  /** Whether accounts may be opened in the currency. */
  isUsed(currency: string): boolean
  /** Another map after each change; undefined: amounts may have four decimals in every currency. */
  readonly decimals: DecimalBounds | undefined
}

const contextId = 'GLOBAL'
const parameter = 'SCHEME_CURRENCIES'

export async function openSchemeCurrencies(
  service: ServiceName,
  bound: 'four' | 'currency',
  parts: LiveSettingsParts,
  wait_ms = 1_000,
): Promise<SchemeCurrencies> {
  const { GetConfiguration } = parts.grpc.client(configurationsService, 'config')
  let listed: DecimalBounds = new Map()
  let bounds = boundsWith(listed)
  const following = await followContext(
    {
      service,
      contextId,
      ask: (options) => GetConfiguration({ boundedContextId: contextId }, options),
      onConfiguration(configuration) {
        listed = listedIn(configuration)
        bounds = boundsWith(listed)
      },
    },
    parts,
    wait_ms,
  )
  return {
    isUsed: (currency) => (listed.size === 0 ? isCurrency(currency) : listed.has(currency)),
    get decimals() {
      return bound === 'currency' ? bounds : undefined
    },
    stop: () => following.stop(),
  }
}

/** A currency that is not listed, but has accounts, has the decimals of ISO 4217. */
function boundsWith(listed: DecimalBounds): DecimalBounds {
  const all = currencies.map((code) => [code, currencyExponent(code) ?? 0] as const)
  return new Map([...all, ...listed])
}

/** config has checked the form of the value. */
function listedIn({ parameters }: ConfigurationSet): DecimalBounds {
  const found = parameters.find(({ name }) => name === parameter)
  const listed = JSON.parse(found?.currentJson ?? '[]') as readonly {
    readonly currency: string
    readonly decimals: number
  }[]
  return new Map(listed.map(({ currency, decimals }) => [currency, decimals]))
}
