/** POST /links: finds and links a user's account; the answer is the outcome. */
import type { Fsp } from '@causeway/fsp'
import { z } from 'zod'
import { badRequest, type PersonalAnswer, sentenceOf } from './payments.ts'
import type { Users } from './users.ts'

const wish = z.strictObject({
  dfsp: z.string().min(1),
  /** The user's identifier at the DFSP: at a sandbox FSP, the number. */
  user: z.string().min(1),
  /** WEB when left out: the PISP plays the user at the DFSP's log-in page. */
  channel: z.enum(['WEB', 'OTP']).optional(),
  /** For the channel OTP: where to read the password that the user was sent. */
  otpUrl: z.url().optional(),
  credential: z.enum(['FIDO', 'GENERIC']).optional(),
  /** The addresses of the accounts; the first one when left out. */
  accounts: z.array(z.string().min(1)).min(1).optional(),
})

export async function linkOnRequest(
  fsp: Pick<Fsp, 'pisp'>,
  users: Users,
  asked: unknown,
): Promise<PersonalAnswer> {
  const read = wish.safeParse(asked)
  if (!read.success) return badRequest(sentenceOf(read.error))
  const { dfsp, user, channel = 'WEB', otpUrl, credential = 'FIDO' } = read.data
  if (channel === 'OTP' && otpUrl === undefined) return badRequest('otpUrl: required for OTP')
  const found = await fsp.pisp.accounts(dfsp, user)
  if (found.state !== 'FOUND') return { status: 200, body: { ...found, leg: 'accounts' } }
  const addresses = read.data.accounts ?? found.accounts.slice(0, 1).map(({ address }) => address)
  const result = await fsp.pisp.link({
    dfspId: dfsp,
    userId: user,
    scopes: addresses.map((address) => ({ address, actions: ['ACCOUNTS_TRANSFER'] })),
    channels: [channel],
    callbackUri: users.callbackUri(),
    authenticate: (authentication) =>
      otpUrl === undefined ? users.logIn(authentication, addresses) : otpAt(otpUrl),
    createCredential: (needed) => Promise.resolve(users.makeKey(credential, needed)),
  })
  return { status: 200, body: { ...result, credential, accounts: found.accounts } }
}

/** Reads the password from the user's simulated phone. */
async function otpAt(url: string): Promise<string | undefined> {
  const answer = await fetch(url)
  const { otp } = (await answer.json()) as { readonly otp?: string }
  return otp
}
