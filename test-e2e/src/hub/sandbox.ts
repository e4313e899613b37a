/**
 * The sandbox FSPs and their onboarding as the compose file and the chart run them: both programs
 * read the same files of settings as there; addresses and folders are those of this machine.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { eventually } from '@causeway/process/testing'
import { request } from 'undici'
import { enrolCertificate, newSigningKey } from '../operator/credentials.ts'
import { freePort, newDataDir, removeDataDir } from './hub-process.ts'
import type { HubHost } from './hub-host.ts'
import { administratorLogIn, answered } from '../operator/operator.ts'
import type { Scheme } from './scheme.ts'

export interface Sandbox {
  /** The plain port of greenbank, for people. */
  readonly greenbank: string
  /** Runs the onboarding program until it ends. */
  onboard(): Promise<{ readonly code: number | null; readonly lines: readonly string[] }>
  stop(): Promise<void>
}

/** Of a container on a busy machine. */
const start_ms_max = 60_000

const participants = [
  { name: 'greenbank', kind: { currency: 'USD' } },
  { name: 'bluewallet', kind: { currency: 'USD' } },
  { name: 'amberpay', kind: { currency: 'USD' } },
  { name: 'lemonpay', kind: { type: 'PISP' } },
] as const

/** Its participants are registered at the scheme, have certificates and are not onboarded yet. */
export async function openSandbox(scheme: Scheme, host: HubHost): Promise<Sandbox> {
  const folder = await newDataDir()
  host.shareFile(folder)
  const ports = await newSandboxPorts()
  const fspsFile = writeFsps(folder, ports)
  host.shareFile(fspsFile)
  for (const { name, kind } of participants) {
    await answered(scheme.operator.call('POST', '/participants', { name, ...kind }))
    const { certificate, key, ca } = await enrolCertificate(scheme.operator, name)
    const signing = (await newSigningKey()).export({ type: 'pkcs8', format: 'pem' }).toString()
    write(host, join(folder, name), {
      'tls.crt': certificate,
      'tls.key': key,
      'ca.crt': ca,
      'signing.pem': signing,
    })
  }
  write(host, join(folder, 'log-in'), { 'setup.json': JSON.stringify(administratorLogIn) })
  const launch = (name: string, main: string, settings: Readonly<Record<string, string>>) =>
    host.launch({
      name,
      main,
      environment: { ...settingsOf(name, folder), SANDBOX_FSPS_FILE: fspsFile, ...settings },
      folder,
      logFile: join(folder, `${name}.log`),
    })
  const sandbox = await launch('sandbox-fsp', 'services/sandbox-fsp/dist/main.js', {
    SANDBOX_HOST: '127.0.0.1',
    HUB_URL: scheme.hub.urls.fsp,
    // On a busy machine a payment takes longer than the usual 15 s.
    SANDBOX_VALIDITY_MS: '60000',
  })
  const greenbank = `http://127.0.0.1:${ports.greenbank.port}`
  await eventually(
    async () => {
      if (sandbox.hasEnded) throw new Error(readFileSync(join(folder, 'sandbox-fsp.log'), 'utf8'))
      return (await request(`${greenbank}/health`).catch(() => undefined))?.statusCode
    },
    'the sandbox FSPs',
    start_ms_max,
  )

  return {
    greenbank,
    async onboard() {
      const onboarding = await launch('onboard', 'services/hub/dist/distributed/onboard.js', {
        ONBOARD_SANDBOX_HOST: '127.0.0.1',
        ONBOARD_OPERATOR_URL: scheme.hub.urls.operator,
      })
      const code = await onboarding.ended
      return { code, lines: readFileSync(join(folder, 'onboard.log'), 'utf8').trim().split('\n') }
    },
    async stop() {
      sandbox.signal('SIGTERM')
      await sandbox.ended
      await removeDataDir(folder)
    },
  }
}

type SandboxPorts = Readonly<
  Record<
    (typeof participants)[number]['name'],
    { readonly port: number; readonly callbackPort: number }
  >
>

export async function newSandboxPorts(): Promise<SandboxPorts> {
  const next = async () => ({
    port: Number(await freePort()),
    callbackPort: Number(await freePort()),
  })
  return {
    greenbank: await next(),
    bluewallet: await next(),
    amberpay: await next(),
    lemonpay: await next(),
  }
}

/** The path of the file, for SANDBOX_FSPS_FILE. */
export function writeFsps(folder: string, ports: SandboxPorts): string {
  const file = join(folder, 'sandbox-fsps.json')
  writeFileSync(file, JSON.stringify(ports))
  return file
}

/** The settings of the chart and the compose file, with files below this folder. */
function settingsOf(name: string, folder: string): Readonly<Record<string, string>> {
  const file = new URL(`../../../helm/causeway/env/${name}.env`, import.meta.url)
  const given = parseEnv(readFileSync(file, 'utf8').replaceAll('/etc/causeway', folder))
  // Operators show no certificate here: the gateway, which asks for it, is not part of the hub.
  return Object.fromEntries(
    Object.entries(given).map(([key, value = '']) => [
      key,
      value.replace('/operator-client/', '/greenbank/'),
    ]),
  )
}

function write(host: HubHost, folder: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(folder)
  host.shareFile(folder)
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), content, { mode: 0o600 })
    host.shareFile(join(folder, name))
  }
}
