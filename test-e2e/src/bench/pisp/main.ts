/**
 * DFSP, PISP and payee FSP in one process of their own, with the user's keys: their CPU time is
 * counted separately. They are the participants of the stories; everything is made and signed when it is
 * sent.
 */
import { createAuthenticator, type Authenticator } from '@causeway/fsp'
import { retryWhileBusy } from '../../hub/apart.ts'
import { operatorAt } from '../../operator/operator.ts'
import {
  callbackUri,
  linkingAt,
  openDfsp,
  openPayee,
  openPisp,
  paymentFrom,
  type TestParticipant,
  type TestDfsp,
} from '../../parties/third-party.ts'
import { obeyCommands } from '../child.ts'
import { passAll } from '../pace.ts'
import type { PispBenchReport, PispBenchCommand, Open, RunPisp } from './run.ts'

/** Users who pay in turn, each with an account and a key. */
const users_max = 64
const valid_ms = 60_000
const funds = '1000000000'

interface Linked {
  readonly account: string
  readonly device: Authenticator
}

let dfsp: TestDfsp | undefined
let pisp: TestParticipant | undefined
const linked: Linked[] = []
let links = 0

async function open({ hubUrls, operatorUrl, passwordFile }: Open): Promise<PispBenchReport> {
  const operator = retryWhileBusy(operatorAt(operatorUrl, passwordFile))
  const at = (n: number) => ({
    hub: { urls: { fsp: hubUrls[n % hubUrls.length] ?? '', operator: operatorUrl, metrics: '' } },
    operator,
    isSafe: true,
  })
  const resendAfter_ms = valid_ms
  const accountsOf = (user: string) => [{ address: `dfsp.${user}`, currency: 'USD' }]
  dfsp = await openDfsp(
    at(0),
    'dfsp',
    { accountsOf },
    { resendAfter_ms },
    { funds, netDebitCap: funds },
  )
  pisp = await openPisp(at(1), 'pisp', { resendAfter_ms })
  await openPayee(at(2), 'payee', { resendAfter_ms })
  while (linked.length < users_max) linked.push(await link())
  return { type: 'LINKED' }
}

/** A new user with an account of their own. */
async function link(): Promise<Linked> {
  if (dfsp === undefined || pisp === undefined) throw new Error('the participants are not open')
  const userId = `user${(links += 1)}`
  const account = `dfsp.${userId}`
  const device = createAuthenticator()
  const scopes = [{ address: account, actions: ['ACCOUNTS_TRANSFER'] }]
  const { fsp } = dfsp
  const order = linkingAt(dfsp, device, {
    userId,
    scopes,
    async authenticate({ consentRequestId }) {
      const back = await fsp.dfsp.grant(consentRequestId, scopes)
      return new URL(back ?? callbackUri).searchParams.get('authToken') ?? undefined
    },
  })
  const result = await pisp.fsp.pisp.link(order)
  if (result.state !== 'LINKED') throw new Error(`${result.state} ${JSON.stringify(result)}`)
  return { account, device }
}

async function pay(n: number): Promise<void> {
  const user = linked[n % linked.length]
  if (dfsp === undefined || pisp === undefined || user === undefined) {
    throw new Error('nothing is linked')
  }
  const amount = { currency: 'USD', amount: '1' }
  const expiration = new Date(Date.now() + valid_ms)
  const { account } = user
  const order = paymentFrom(dfsp, user.device, { account, amount, expiration })
  const result = await pisp.fsp.pisp.pay(order)
  if (result.state === 'COMPLETED') return
  throw new Error(
    result.state === 'FAILED' ? `${result.leg}: ${result.error.errorCode}` : 'REJECTED',
  )
}

async function run({ load, count, rate }: RunPisp): Promise<PispBenchReport> {
  return { type: 'DONE', result: await passAll(count, rate, load === 'link' ? link : pay) }
}

obeyCommands<PispBenchCommand, PispBenchReport>((command) =>
  command.type === 'OPEN' ? open(command) : run(command),
)
