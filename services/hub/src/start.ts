/**
 * `npm start`: the hub on its embedded engines, two sandbox FSPs, and one payment between them; then
 * it keeps running. What it does it says in plain words on stdout; the log goes to a file.
 */
import {
  describeSettings,
  readSettings,
  refuse,
  supervise,
  type Logger,
  type Service,
} from '@causeway/runtime'
import { readFlags, usage, type Flags } from './flags.ts'
import { openHub, type Hub } from './house.ts'
import { invitation } from './invitation.ts'
import { onboard } from './onboarding.ts'
import { operatorOf } from './operator.ts'
import { describePayment, makeFirstPayment, type PaymentSummary } from './payment.ts'
import { openHubLog, prepareDataDir } from './place.ts'
import { startSandbox, type Sandbox } from './sandbox-process.ts'
import { settingPrefixes, settings, type HubSettings } from './settings.ts'

/** What `--json` prints. */
type Summary = Pick<PaymentSummary, 'ok' | 'urls'> | PaymentSummary

async function main(): Promise<void> {
  const flags = readFlags(process.argv.slice(2))
  if (flags.help) return say(usage)
  const reading = readSettings(settings, {
    prefixes: settingPrefixes,
    sources: [
      { origin: 'flag', values: flags.set },
      { origin: 'file', values: flags.file },
      { origin: 'environment', values: process.env },
    ],
  })
  if (flags.printSettings) return say(describeSettings(settings, reading))
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

/** Starts everything, pays, says so; what has started is stopped again when a later part fails. */
async function start(flags: Flags, values: HubSettings, log: Logger): Promise<Running> {
  const hub = await openHub(values, log, { fresh: flags.fresh })
  say(`Causeway is up. ${hub.durability}`)
  let sandbox: Sandbox | undefined
  const stop = async () => {
    if (!flags.json) say('Stopping …')
    await sandbox?.stop()
    await hub.stop()
  }
  try {
    if (!flags.noSandbox) sandbox = await startSandbox(values, hub.urls.fsp)
    const summary =
      sandbox === undefined ? { ok: true, urls: hub.urls } : await pay(values, hub, sandbox)
    if (flags.json) say(JSON.stringify(summary))
    return { summary, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function pay(values: HubSettings, hub: Hub, sandbox: Sandbox): Promise<PaymentSummary> {
  const [greenbank, bluewallet] = sandbox.fsps
  const operator = operatorOf(hub.urls.operator)
  await onboard(operator, values.HUB_NAME, sandbox.fsps)
  const urls = { ...hub.urls, greenbank: greenbank.url, bluewallet: bluewallet.url }
  const summary = await makeFirstPayment(operator, greenbank, bluewallet, urls)
  say(describePayment(summary, greenbank.name, bluewallet.name))
  say(invitation(urls))
  return summary
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

main().catch((error: unknown) => {
  refuse(error)
})
