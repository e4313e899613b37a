/** The first payment of a start with a PISP: an account is linked, and its user pays from it. */
import { request } from 'undici'
import { readBalances, type Balances } from './onboarding.ts'
import type { Operator } from './operator.ts'
import { post, type Urls } from './payment.ts'
import type { SandboxFsp } from './sandbox-fsps.ts'

export interface ThirdPartySummary extends ThirdPartyPayment {
  readonly urls: Urls
}

export interface ThirdPartyPayment {
  /** True when the money moved. */
  readonly ok: boolean
  /** COMPLETED, or how the payment ended; the state of the linking when no payment was made. */
  readonly state: string
  readonly consentId: string | undefined
  readonly transactionRequestId?: string
  /** Absent when the payment ended before its transfer. */
  readonly transferId?: string
  readonly account: string | undefined
  readonly amount: string
  readonly currency: string
  /** Milliseconds; `link` without the user's part, `payment` with it. */
  readonly ms: { readonly link?: number; readonly payment?: number }
  readonly balances: { readonly before: Balances; readonly after: Balances }
  /** The reason when it failed. */
  readonly error?: unknown
}

/** The sandbox PISP's answer to POST /links. */
interface Linked {
  readonly state: string
  readonly consentId?: string
  readonly scopes?: readonly { readonly address: string }[]
  readonly ms: number
  readonly error?: unknown
}

/** The sandbox PISP's answer to POST /payments. */
interface Paid {
  readonly state: string
  readonly transactionRequestId: string
  readonly ms: { readonly total: number }
  readonly error?: unknown
}

const amount = '10'
const currency = 'USD'
/** The first customer of greenbank. */
const user = '12025550101'

type Reached = Pick<SandboxFsp, 'name' | 'url'>

/** A user of the PISP has an account at the first FSP and pays the first customer of the second. */
export async function makeThirdPartyPayment(
  operator: Operator,
  pisp: Reached,
  fsps: readonly [dfsp: Reached, payee: Reached],
): Promise<ThirdPartyPayment> {
  const [dfsp, payee] = fsps
  await Promise.all([pisp, ...fsps].map(({ url }) => post(`${url}/ping`)))
  const before = await readBalances(operator, fsps)
  const linked = (await post(`${pisp.url}/links`, { dfsp: dfsp.name, user })) as Linked
  const { consentId } = linked
  const [account] = linked.scopes ?? []
  const common = { consentId, account: account?.address, amount, currency }
  if (linked.state !== 'LINKED' || consentId === undefined) {
    const { state, error } = linked
    return { ...common, ok: false, state, error, ms: {}, balances: { before, after: before } }
  }
  const order = { consentId, to: payee.name, amount, currency }
  const paid = (await post(`${pisp.url}/payments`, order)) as Paid
  const { state, transactionRequestId, ms, error } = paid
  const transferId = await transferIdOf(dfsp, transactionRequestId)
  return {
    ok: state === 'COMPLETED',
    state,
    ...common,
    transactionRequestId,
    ...(transferId === undefined ? {} : { transferId }),
    ms: { link: linked.ms, payment: ms.total },
    balances: { before, after: await readBalances(operator, fsps) },
    ...(error === undefined ? {} : { error }),
  }
}

/** Read from the DFSP: a PISP does not receive it. */
async function transferIdOf({ url }: Reached, id: string): Promise<string | undefined> {
  const answer = await request(`${url}/third-party-payments/${id}`)
  return ((await answer.body.json()) as { readonly transferId?: string }).transferId
}

/** Describes linking and payment as text. */
export function describeThirdPartyPayment(payment: ThirdPartyPayment): string {
  const { ok, state, consentId, account, ms, balances, error } = payment
  const position = (name: string) => {
    const { before, after } = balances
    return `  ${name.padEnd(10)} position ${before[name]?.position} → ${after[name]?.position}`
  }
  const why = error === undefined ? '' : ` ${JSON.stringify(error)}`
  const { transactionRequestId = '', transferId = '' } = payment
  return [
    ms.link === undefined
      ? `lemonpay could not link an account: ${state}${why}.`
      : `lemonpay linked ${account} with a FIDO key in ${ms.link} ms: consent ${consentId}.`,
    ...(ms.payment === undefined
      ? []
      : [
          ok
            ? `Its user paid bluewallet ${amount} ${currency} from it in ${ms.payment} ms: ${state}.`
            : `Its user could not pay bluewallet from it: ${state}${why}.`,
          `  request    ${transactionRequestId}: the terms, signed by the user's key`,
          `  transfer   ${transferId}`,
        ]),
    position('greenbank'),
    position('bluewallet'),
    '',
  ].join('\n')
}
