/**
 * POST /payments of the sandbox PISP: a payment from a linked account; the answer is its outcome.
 */
import type { Fsp } from '@causeway/fsp'
import { elements, partyIdInfo } from '@causeway/fspiop'
import { currencyExponent, parseAmount } from '@causeway/money'
import { z } from 'zod'
import { firstCustomerOf } from './customers.ts'
import { badRequest, type PersonalAnswer, sentenceOf } from './payments.ts'
import type { Users } from './users.ts'

const payment = z.strictObject({
  consentId: elements.thirdPartyId,
  /** A party, or a sandbox FSP: then its first customer. */
  to: z.union([
    z.enum(['greenbank', 'bluewallet']),
    z.strictObject({
      partyIdType: partyIdInfo.shape.partyIdType,
      partyIdentifier: partyIdInfo.shape.partyIdentifier,
    }),
  ]),
  amount: z.string().refine((text) => (parseAmount(text) ?? 0n) > 0n, {
    error: 'must be an amount such as "10" or "10.5", more than 0',
  }),
  currency: z.string().refine((code) => currencyExponent(code) !== undefined, {
    error: 'must be a currency code such as "USD"',
  }),
  /** What the user does with the terms; signs them when left out. */
  userDoes: z.enum(['sign', 'reject', 'ignore', 'signOther']).optional(),
  /** The payment expires after this many milliseconds. */
  validForMs: z.int().min(100).max(600_000).optional(),
})

export async function payFromLinkOnRequest(
  fsp: Pick<Fsp, 'pisp'>,
  users: Users,
  asked: unknown,
  validity_ms: number,
): Promise<PersonalAnswer> {
  const read = payment.safeParse(asked)
  if (!read.success) return badRequest(sentenceOf(read.error))
  const { consentId, to, amount, currency, userDoes = 'sign', validForMs = validity_ms } = read.data
  const consent = [...fsp.pisp.consents()].find((each) => each.consentId === consentId)
  const [scope] = consent?.scopes ?? []
  if (consent === undefined || scope === undefined) {
    return badRequest(`consentId: there is no consent ${consentId}`)
  }
  const result = await fsp.pisp.pay({
    dfspId: consent.dfspId,
    account: scope.address,
    to:
      typeof to === 'string'
        ? { type: 'MSISDN', id: firstCustomerOf(to).id }
        : { type: to.partyIdType, id: to.partyIdentifier },
    amount: { currency, amount },
    expiration: new Date(Date.now() + validForMs),
    async sign({ challenge }) {
      if (userDoes === 'reject') return undefined
      if (userDoes === 'ignore') return new Promise(() => undefined)
      return users.sign(consentId, userDoes === 'sign' ? challenge : `${challenge}AAAA`)
    },
  })
  const { payee, ...outcome } = result
  const from = { fspId: consent.dfspId, account: scope.address }
  const shown = payee && { fspId: payee.fspId, partyIdentifier: payee.id, name: payee.name }
  return { status: 200, body: { ...outcome, consentId, from, to: shown, amount, currency } }
}
