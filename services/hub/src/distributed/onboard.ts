/**
 * Onboards the sandbox FSPs and the sandbox PISP at a distributed hub, as an operator with a
 * certificate does. Then one FSP pays another, a user of the PISP links an account and pays from
 * it, and the first FSP pays 100 people at two others in bulk. Prints all three as JSON on the last
 * line; fails if one of them did not move its money. It can be repeated at any time: existing
 * participants are not changed.
 */
import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { connect } from 'node:tls'
import { readPem, run, StartError, type SettingValues } from '@causeway/process'
import { Agent, request } from 'undici'
import { onboard, onboardPisp, type NewFsp } from '../onboarding.ts'
import { operatorOf, type Operator } from '../operator.ts'
import { describePayment, makeFirstPayment } from '../payment.ts'
import { describePayroll, makePayroll } from '../payroll.ts'
import { sandboxPorts, type SandboxFsp } from '../sandbox-fsps.ts'
import { describeThirdPartyPayment, makeThirdPartyPayment } from '../third-party-payment.ts'
import { onboardSettings } from './settings.ts'

type OnboardSettings = SettingValues<typeof onboardSettings>
type Fsp = NewFsp & Pick<SandboxFsp, 'url'>

const pause_ms = 1_000
/** Small amounts: each run moves them again, below the same net debit cap. */
const payrollOrder = { people: 100, amount: '1' } as const
/** Time for the hub and the FSPs to become ready: containers of a new cluster take up to a minute. */
const wait_ms = 120_000

await run('onboard', onboardSettings, async (values) => {
  const agent = new Agent({
    connect: {
      ca: await readPem('ONBOARD_TLS_CA_FILE', values.ONBOARD_TLS_CA_FILE),
      cert: await readPem('ONBOARD_TLS_CERTIFICATE_FILE', values.ONBOARD_TLS_CERTIFICATE_FILE),
      key: await readPem('ONBOARD_TLS_KEY_FILE', values.ONBOARD_TLS_KEY_FILE),
    },
  })
  const operator = operatorOf(values.ONBOARD_OPERATOR_URL, {
    dispatcher: agent,
    logIn: await readPem('ONBOARD_LOG_IN_FILE', values.ONBOARD_LOG_IN_FILE),
  })
  try {
    await pay(values, operator)
  } finally {
    await agent.close()
  }
  return { stop: () => Promise.resolve() }
})

async function pay(values: OnboardSettings, operator: Operator): Promise<void> {
  const until_ms = Date.now() + wait_ms
  const { two, third, pisp } = await reached('the sandbox', until_ms, async () => ({
    two: [await sandboxFsp('greenbank', values), await sandboxFsp('bluewallet', values)] as const,
    third: await sandboxFsp('amberpay', values),
    pisp: await sandboxFsp('lemonpay', values),
  }))
  const fsps = [...two, third] as const
  await reached("the operator's port of the hub", until_ms, async () => {
    await onboard(operator, values.HUB_NAME, fsps)
    await onboardPisp(operator, pisp, two)
  })
  await reached('the customers of the FSPs', until_ms, () => registered(fsps))
  const payment = await makeFirstPayment(operator, two)
  print(describePayment(payment))
  const thirdParty = await makeThirdPartyPayment(operator, pisp, two)
  print(describeThirdPartyPayment(thirdParty))
  const payroll = await makePayroll(operator, fsps, payrollOrder, print)
  print(describePayroll(payroll))
  const ok = payment.ok && thirdParty.ok && payroll.ok
  print(JSON.stringify({ ...payment, ok, thirdParty, payroll }))
  if (!payment.ok) throw new StartError('greenbank could not pay bluewallet.')
  if (!thirdParty.ok) throw new StartError('The user of lemonpay could not link and pay.')
  if (!payroll.ok) throw new StartError('greenbank could not pay all people in bulk.')
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

async function sandboxFsp(name: SandboxFsp['name'], values: OnboardSettings): Promise<Fsp> {
  const { port, callbackPort } = await sandboxPorts(name, values)
  const host = values.ONBOARD_SANDBOX_HOST
  const url = `http://${host}:${port}`
  const { keys } = (await get(`${url}/.well-known/jwks.json`)) as { keys: readonly JsonWebKey[] }
  const [key] = keys
  if (key === undefined) throw new StartError(`${name} does not sign: set SANDBOX_SIGNING=on.`)
  const publicKey = createPublicKey({ key, format: 'jwk' })
  return {
    name,
    url,
    callbackUrl: `https://${host}:${callbackPort}/callbacks`,
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    certificate: await certificateAt(host, callbackPort),
  }
}

/** PEM: a sandbox FSP has one certificate, for its server and as a client. */
function certificateAt(host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    // Nothing is sent: the certificate itself is what is asked for.
    const socket = connect({ host, port, servername: host, rejectUnauthorized: false }, () => {
      const certificate = socket.getPeerX509Certificate()
      socket.destroy()
      if (certificate === undefined) reject(new Error(`${host}:${port} shows no certificate`))
      else resolve(certificate.toString())
    })
    socket.once('error', reject)
  })
}

/** Waits until the hub has registered the customers of all FSPs. */
async function registered(fsps: readonly Fsp[]): Promise<void> {
  for (const { name, url } of fsps) {
    const { registered: isDone } = (await get(`${url}/health`)) as { registered?: boolean }
    if (isDone !== true) throw new Error(`${name} has not registered its customers at the hub yet`)
  }
}

async function get(url: string): Promise<unknown> {
  const answer = await request(url)
  return answer.body.json()
}

/** Repeats the work until it succeeds; after the deadline, throws with the last error. */
async function reached<Value>(
  what: string,
  until_ms: number,
  work: () => Promise<Value>,
): Promise<Value> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (error instanceof StartError) throw error
      if (Date.now() >= until_ms) {
        throw new StartError(`Not ready in time: ${what}. ${(error as Error).message}.`)
      }
    }
    await pause(pause_ms)
  }
}
