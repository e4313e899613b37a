/**
 * The query and the body of the authorizations resource: the payer FSP requests an OTP or a code from
 * the payer, who enters it at the payee's device. FSPIOP 6.6.
 */
import { z } from 'zod'
import { authenticationInfo } from '../bodies/complex.ts'
import { amount, anyEnumeration, currency, integer } from '../bodies/elements.ts'
import { authenticationType } from '../bodies/enumerations.ts'
import type { FaultCodes } from '../bodies/faults.ts'
import { type QueryReading, readQuery } from '../query.ts'

/** A type outside the list is 3100 here, not 3101: clients of this API are tested for that. */
export const authorizationsQuery = z.compile(
  z.object({
    authenticationType: z
      .string()
      .refine((text) => authenticationType.safeParse(text).success, {
        error: 'not a legal AuthenticationType',
        params: { errorCode: '3100' },
      })
      .pipe(authenticationType),
    retriesLeft: z.string().refine((text) => integer.safeParse(text).success, {
      error: 'not a legal Integer',
      params: { errorCode: '3101', mojaloopCode: '3101' },
    }),
    amount,
    currency,
  }),
)

export type AuthorizationsQuery = z.infer<typeof authorizationsQuery>

/**
 * The query of GET /authorizations/{ID}, without its "?". All four are required (3102 names the first
 * that is missing); retriesLeft counts from 1, the last attempt.
 */
export function readAuthorizationsQuery(
  query: string,
  codes?: FaultCodes,
): QueryReading<AuthorizationsQuery> {
  return readQuery(authorizationsQuery, query, codes)
}

/**
 * PUT /authorizations/{ID}, from the payee FSP. ENTERED requires the entered value; with the other
 * responses it is accepted and has no effect.
 */
export const putAuthorizations = z.compile(
  z.discriminatedUnion('responseType', [
    z.looseObject({ responseType: z.literal('ENTERED'), authenticationInfo }),
    z.looseObject({
      responseType: z.enum(['REJECTED', 'RESEND']),
      authenticationInfo: authenticationInfo.optional(),
    }),
  ]),
)

/** The same with any response, for compatibility with hubs that relay every response. */
export const putAuthorizationsAnyResponse = z.compile(
  z.looseObject({
    authenticationInfo: authenticationInfo.optional(),
    responseType: anyEnumeration,
  }),
)

export type PutAuthorizations = z.infer<typeof putAuthorizations>
