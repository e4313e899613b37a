/**
 * The participants of the sandbox: their ports and credentials, from a JSON file that names each of
 * them. Without a file all four are there, with the usual ports. Names and customers are fixed.
 */
import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { StartError } from '@causeway/process'
import { z } from 'zod'

export const participantNames = ['greenbank', 'bluewallet', 'amberpay', 'lemonpay'] as const

export type ParticipantName = (typeof participantNames)[number]

export interface FspEntry {
  /** Plain HTTP, for people; 0 takes any free port. */
  readonly port: number
  /** Callbacks over TLS; 0 takes any free port. */
  readonly callbackPort: number
  /** PEM: identifies the FSP, as a client and as the server of its callback port. */
  readonly certificateFile?: string | undefined
  /** PEM: the private key of the certificate. */
  readonly keyFile?: string | undefined
  /** PEM: the scheme's CA, which issues the hub's certificate. */
  readonly caFile?: string | undefined
  /** PEM: the private key that signs its messages. */
  readonly signingKeyFile?: string | undefined
  /** For tokens. */
  readonly clientId?: string | undefined
  readonly clientSecret?: string | undefined
}

export interface Fsps {
  readonly greenbank: FspEntry
  readonly bluewallet: FspEntry
  /** With it there are 1,000 people at it and at bluewallet, for bulk payments. */
  readonly amberpay?: FspEntry | undefined
  /** The PISP. */
  readonly lemonpay?: FspEntry | undefined
}

/** Above the ports of the hub; those for callbacks are ten higher. */
export const usualFsps = {
  greenbank: { port: 4_301, callbackPort: 4_311 },
  bluewallet: { port: 4_302, callbackPort: 4_312 },
  amberpay: { port: 4_304, callbackPort: 4_314 },
  lemonpay: { port: 4_303, callbackPort: 4_313 },
} as const satisfies Required<Fsps>

/** The names that Kubernetes and cert-manager give to such files. */
const filesOfFolder = {
  certificateFile: 'tls.crt',
  keyFile: 'tls.key',
  caFile: 'ca.crt',
  signingKeyFile: 'signing.pem',
} as const

const port = z.int().min(0).max(65_535)
const text = z.string().min(1)

const entryOf = (name: ParticipantName) =>
  z.strictObject({
    port: port.default(usualFsps[name].port),
    callbackPort: port.default(usualFsps[name].callbackPort),
    certificateFile: text.optional(),
    keyFile: text.optional(),
    caFile: text.optional(),
    signingKeyFile: text.optional(),
    clientId: text.optional(),
    clientSecret: text.optional(),
  })

const schema = z.strictObject({
  greenbank: entryOf('greenbank'),
  bluewallet: entryOf('bluewallet'),
  amberpay: entryOf('amberpay').optional(),
  lemonpay: entryOf('lemonpay').optional(),
})

export interface FspsSettings {
  readonly SANDBOX_FSPS_FILE: string | undefined
  readonly SANDBOX_CREDENTIALS_DIR?: string | undefined
}

/**
 * Paths in the file are relative to its folder. Throws StartError, with the file and the member, for
 * one that cannot be read.
 */
export async function readFsps(settings: FspsSettings): Promise<Fsps> {
  const { SANDBOX_FSPS_FILE: file, SANDBOX_CREDENTIALS_DIR: folder } = settings
  const fsps: Fsps = file === undefined ? usualFsps : await readEntries(file)
  return folder === undefined ? fsps : changed(fsps, (name, entry) => filled(name, entry, folder))
}

/** How an error names a member of an entry. */
export function memberName(name: ParticipantName, member: keyof FspEntry): string {
  return `${name}.${member} in SANDBOX_FSPS_FILE`
}

async function readEntries(file: string): Promise<Fsps> {
  const reading = schema.safeParse(await readJson(file))
  if (!reading.success) {
    const faults = reading.error.issues.map(
      ({ path, message }) => `SANDBOX_FSPS_FILE (${file}): ${[...path, message].join(': ')}.`,
    )
    throw new StartError(faults.join('\n'))
  }
  const absolute = (path: string | undefined) => path && resolve(dirname(file), path)
  return changed(reading.data, (_name, entry) => ({
    ...entry,
    certificateFile: absolute(entry.certificateFile),
    keyFile: absolute(entry.keyFile),
    caFile: absolute(entry.caFile),
    signingKeyFile: absolute(entry.signingKeyFile),
  }))
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new StartError(`SANDBOX_FSPS_FILE (${file}): ${why}.`)
  }
}

/** The files that the entry does not name are those in the folder of the participant. */
function filled(name: ParticipantName, entry: FspEntry, folder: string): FspEntry {
  const files = Object.entries(filesOfFolder).map(([member, file]) => [
    member,
    entry[member as keyof typeof filesOfFolder] ?? join(folder, name, file),
  ])
  return { ...entry, ...(Object.fromEntries(files) as Partial<FspEntry>) }
}

function changed(
  { greenbank, bluewallet, amberpay, lemonpay }: Fsps,
  change: (name: ParticipantName, entry: FspEntry) => FspEntry,
): Fsps {
  return {
    greenbank: change('greenbank', greenbank),
    bluewallet: change('bluewallet', bluewallet),
    amberpay: amberpay && change('amberpay', amberpay),
    lemonpay: lemonpay && change('lemonpay', lemonpay),
  }
}
