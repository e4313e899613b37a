/** The body of the parties resource, and the one parameter that is read where none is defined. FSPIOP 6.3. */
import { isCurrency } from '@causeway/money'
import { z } from 'zod'
import { party } from '../complex.ts'

/** PUT /parties/{Type}/{ID}[/{SubId}]. */
export const putParties = z.compile(z.looseObject({ party }))

/**
 * The currency that GET /parties/{Type}/{ID}[/{SubId}] may ask for. The API defines no query here, so
 * what is not exactly one legal currency does not count instead of being refused.
 */
export function readPartiesQuery(query: string): { readonly currency: string | undefined } {
  const [currency, another] = new URLSearchParams(query).getAll('currency')
  const counts = currency !== undefined && another === undefined && isCurrency(currency)
  return { currency: counts ? currency : undefined }
}
