/** How an FSP joins a scheme: registered, certified if required, onboarded. */
import { enrol } from './credentials.ts'
import { openFsp, type Fsp } from '../fsp/fsp.ts'
import { answered, onboard, type Onboarding, type Operator } from './operator.ts'

export interface SchemeAccess {
  readonly operator: Operator
  /** The URL of the FSP port; read at each message, since a restart may change it. */
  readonly fspUrl: () => string
  /** Each FSP has a certificate of the scheme and signs what it sends. */
  readonly isSafe: boolean
}

export async function joinScheme(
  { operator, fspUrl, isSafe }: SchemeAccess,
  name: string,
  onboarding: Onboarding = {},
): Promise<Fsp> {
  // Two stories on one hub cannot have the same one.
  const { currency = 'USD' } = onboarding
  await answered(operator.call('POST', '/participants', { name, currency }))
  const fsp = await openFsp(name, fspUrl, isSafe ? await enrol(operator, name) : undefined)
  await onboard(operator, fsp, onboarding)
  return fsp
}
