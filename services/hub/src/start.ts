/**
 * `npm start`: the hub on its embedded engines, two sandbox FSPs, and one payment between them;
 * then it keeps running, or with --once it stops. Results go to stdout as plain text, with how to
 * use a hub that keeps running; the log goes to a file.
 */
import {
  describeSettings,
  readSettings,
  exitWithError,
  StartError,
  supervise,
  type Logger,
  type Service,
} from '@causeway/process'
import { needsFourEyes } from '@causeway/admin'
import { readFlags, usage, type Flags } from './flags.ts'
import { openHub, type Hub } from './hub.ts'
import { aboutAdministrators, gettingStarted } from './getting-started.ts'
import { clientSecretOf, onboard, onboardPisp, type ClientSecret } from './onboarding.ts'
import { operatorOf, operatorTls, type Operator } from './operator.ts'
import {
  describePayment,
  makeFirstPayment,
  type FirstPayment,
  type PaymentSummary,
} from './payment.ts'
import { describePayroll, makePayroll, type Payroll, type PayrollSummary } from './payroll.ts'
import { openHubLog, prepareDataDir } from './data-dir.ts'
import {
  sandboxFsps,
  sandboxPisp,
  thirdSandboxFsp,
  type SandboxFsp,
  type SandboxFsps,
} from './sandbox-fsps.ts'
import { startSandbox, type Sandbox } from './sandbox-process.ts'
import { settingPrefixes, settings, type HubSettings } from './settings.ts'
import {
  describeThirdPartyPayment,
  makeThirdPartyPayment,
  type ThirdPartyPayment,
  type ThirdPartySummary,
} from './third-party-payment.ts'

/** The output of `--json`. */
type Summary = Pick<PaymentSummary, 'ok' | 'urls'> | FirstSummary

type FirstSummary = PaymentSummary | ThirdPartySummary | PayrollSummary

async function main(): Promise<void> {
  const flags = readFlags(process.argv.slice(2))
  if (flags.help) return print(usage)
  const reading = readSettings(settings, {
    prefixes: settingPrefixes,
    sources: [
      { origin: 'flag', values: flags.set },
      { origin: 'file', values: flags.file },
      { origin: 'environment', values: process.env },
    ],
  })
  if (flags.printSettings) return print(describeSettings(settings, reading))
  const values = prepareDataDir(reading.values)
  const log = openHubLog(values)
  let running: Running | undefined
  await supervise(async () => (running = await start(flags, values, log)), log)
  if (running === undefined || !flags.once) return
  await running.stop()
  process.exit(running.summary.ok ? 0 : 1)
}

interface Running extends Service {
  readonly summary: Summary
}

/**
 * Starts everything, pays and prints the result; when a part fails to start, the started ones are
 * stopped.
 */
async function start(flags: Flags, values: HubSettings, log: Logger): Promise<Running> {
  if (needsFourEyes(values, true) && !flags.noSandbox) {
    throw new StartError(
      `FOUR_EYES=${values.FOUR_EYES} with OPERATOR_HOST=${values.OPERATOR_HOST}: each change needs a second person, so one program alone cannot bring in the sandbox FSPs. Use --no-sandbox.`,
    )
  }
  const hub = await openHub(values, log, { fresh: flags.fresh })
  if (!flags.once || flags.noSandbox) print(`Causeway is up. ${hub.durability}`)
  if (!flags.once && values.OPERATOR_IDENTITY === 'token') {
    print(aboutAdministrators(hub.secrets.operators))
  }
  let sandbox: Sandbox | undefined
  const stop = async () => {
    if (!flags.json && !flags.once) print('Stopping …')
    await sandbox?.stop()
    await hub.stop()
  }
  try {
    const summary: Summary = flags.noSandbox
      ? { ok: true, urls: hub.urls }
      : await pay({ flags, values, hub }, (started) => (sandbox = started))
    if (flags.json) print(JSON.stringify(summary))
    return { summary, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

interface StartedHub {
  readonly flags: Flags
  readonly values: HubSettings
  readonly hub: Hub
}

/** Onboards two FSPs, and a PISP or a third FSP where requested, and makes the first payment. */
async function pay(
  { flags, values, hub }: StartedHub,
  onStarted: (sandbox: Sandbox) => void,
): Promise<FirstSummary> {
  const isAsked = values.OPERATOR_IDENTITY === 'token'
  const { setupLogIn } = hub.secrets.operators
  const operator = operatorOf(hub.urls.operator, {
    logIn: isAsked ? setupLogIn : undefined,
    ...operatorTls(values),
  })
  const two = await sandboxFsps(values, hub.secrets)
  const third = flags.bulk ? await thirdSandboxFsp(values, hub.secrets) : undefined
  const fsps = third === undefined ? two : ([...two, third] as const)
  await onboard(operator, values.HUB_NAME, fsps)
  const pisp = flags.pisp ? await sandboxPisp(values, hub.secrets) : undefined
  if (pisp !== undefined) await onboardPisp(operator, pisp, two)
  const all = [...fsps, ...(pisp === undefined ? [] : [pisp])] as const
  const clientSecrets = new Map<string, ClientSecret>()
  if (values.EDGE_IDENTITY === 'token') {
    for (const fsp of all) {
      clientSecrets.set(fsp.name, await clientSecretOf(operator, values.DATA_DIR, fsp))
    }
  }
  const [payer, payee, ...others] = all
  onStarted(await startSandbox(values, hub.urls, [payer, payee, ...others], clientSecrets))
  const urls = {
    ...hub.urls,
    greenbank: payer.url,
    bluewallet: payee.url,
    ...Object.fromEntries(others.map(({ name, url }) => [name, url])),
  }
  const summary = { ...(await firstPayment(operator, { two, third, pisp })), urls }
  print(describe(summary))
  if (!flags.once) print(gettingStarted(values, urls, payer, hub.secrets.operators))
  return summary
}

const firstPayroll = { people: 1_000, amount: '5' } as const

interface Payers {
  readonly two: SandboxFsps
  readonly third: SandboxFsp | undefined
  readonly pisp: SandboxFsp | undefined
}

function firstPayment(
  operator: Operator,
  { two, third, pisp }: Payers,
): Promise<FirstPayment | ThirdPartyPayment | Payroll> {
  if (pisp !== undefined) return makeThirdPartyPayment(operator, pisp, two)
  if (third !== undefined) return makePayroll(operator, [...two, third], firstPayroll, print)
  return makeFirstPayment(operator, two)
}

function describe(payment: FirstPayment | ThirdPartyPayment | Payroll): string {
  if ('consentId' in payment) return describeThirdPartyPayment(payment)
  return 'bulks' in payment ? describePayroll(payment) : describePayment(payment)
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

main().catch((error: unknown) => {
  exitWithError(error)
})
