/**
 * `npm run verify`: compares all stored money with all stored states. Asks the running hub; without
 * one, starts a hub that takes no work, asks it, and stops it. Exit code 0: clean, 1: differences
 * (listed), 2: the comparison failed.
 */
import * as admin from '@causeway/admin'
import * as authService from '@causeway/auth-service'
import * as participantLifecycle from '@causeway/participant-lifecycle'
import { readSettings, StartError, type Service } from '@causeway/process'
import { openEmbedded } from '@causeway/runtime'
import * as settlements from '@causeway/settlements'
import * as transfers from '@causeway/transfers'
import { readFlags } from './flags.ts'
import { operatorOf, OperatorError, operatorTls, type OperatorOptions } from './operator.ts'
import { openHubLog, prepareDataDir } from './data-dir.ts'
import { setupLogInOf } from './secrets.ts'
import { settingPrefixes, settings, type HubSettings } from './settings.ts'

interface HubVerification {
  readonly clean: boolean
  readonly compared: Readonly<Record<string, number>>
  readonly differences: readonly string[]
}

const exitCodes = { clean: 0, differences: 1, unknown: 2 } as const

async function main(): Promise<number> {
  const flags = readFlags(process.argv.slice(2))
  const { values } = readSettings(settings, {
    prefixes: settingPrefixes,
    sources: [
      { origin: 'flag', values: flags.set },
      { origin: 'file', values: flags.file },
      { origin: 'environment', values: process.env },
    ],
  })
  const scheme = values.OPERATOR_TLS === 'on' ? 'https' : 'http'
  const running = `${scheme}://${values.OPERATOR_HOST}:${values.OPERATOR_PORT}`
  const logIn = values.OPERATOR_IDENTITY === 'token' ? setupLogInOf(values.DATA_DIR) : undefined
  const verification =
    (await ask(running, { logIn, ...operatorTls(values) })) ??
    (await askOwn(prepareDataDir(values)))
  const compared = Object.entries(verification.compared).map(([what, count]) => `${count} ${what}`)
  print(`${verification.clean ? 'clean' : 'NOT CLEAN'}: compared ${compared.join(', ')}`)
  verification.differences.forEach(print)
  return verification.clean ? exitCodes.clean : exitCodes.differences
}

/** Undefined when no hub listens there. */
async function ask(url: string, options: OperatorOptions): Promise<HubVerification | undefined> {
  try {
    return await operatorOf(url, options).send<HubVerification>('POST', '/verify', undefined)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return undefined
    throw error instanceof OperatorError ? new StartError(`${url}: ${error.message}`) : error
  }
}

/** A hub without edge, sweeps and deliveries: only the services that answer the comparison. */
async function askOwn(values: HubSettings): Promise<HubVerification> {
  const log = openHubLog(values)
  const onExit = (reason: string) => {
    print(reason)
    process.exit(exitCodes.unknown)
  }
  const { DATA_DIR: dataDir, DURABILITY: durability } = values
  const parts = await openEmbedded({ dataDir, durability, log, onExit })
  const opened: Service[] = [parts]
  try {
    opened.push(await participantLifecycle.start(values, parts))
    opened.push(await transfers.startReads(values, parts))
    opened.push(await settlements.startReads(values, parts))
    opened.push(await authService.startReads(values, parts))
    // Without log-in: for a moment, on loopback only, and verification is all that it serves.
    const operatorApi = await admin.start(
      {
        ...values,
        OPERATOR_PORT: 0,
        OPERATOR_HOST: '127.0.0.1',
        OPERATOR_IDENTITY: 'none',
        OPERATOR_TLS: 'off',
        FOUR_EYES: 'optional',
      },
      parts,
    )
    opened.push(operatorApi)
    const verification = await ask(operatorApi.url, { logIn: undefined })
    if (verification === undefined)
      throw new StartError('The hub that was started to verify has ended.')
    return verification
  } finally {
    for (const service of opened.reverse()) await service.stop()
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    print(error instanceof Error ? error.message : String(error))
    process.exit(exitCodes.unknown)
  },
)
