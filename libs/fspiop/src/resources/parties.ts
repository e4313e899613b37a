/** The body of the parties resource, and the currency parameter, an extension of the API. FSPIOP 6.3. */
import { isCurrency } from '@causeway/money'
import { z } from 'zod'
import { party } from '../bodies/complex.ts'

/** PUT /parties/{Type}/{ID}[/{SubId}]. */
export const putParties = z.compile(z.looseObject({ party }))

/**
 * The currency parameter of GET /parties/{Type}/{ID}[/{SubId}]. The API defines no query here, so
 * anything other than exactly one legal currency is ignored, not refused.
 */
export function readPartiesQuery(query: string): { readonly currency: string | undefined } {
  const [currency, another] = new URLSearchParams(query).getAll('currency')
  const counts = currency !== undefined && another === undefined && isCurrency(currency)
  return { currency: counts ? currency : undefined }
}
