/**
 * The sandbox FSPs and the sandbox PISP as the hub's start configures them: addresses and
 * credentials.
 */
import { createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { StartError } from '@causeway/process'
import {
  memberName,
  readFsps,
  type FspEntry,
  type FspsSettings,
  type ParticipantName,
} from '@causeway/sandbox-fsp/fsps'
import type { FspSecrets, Secrets } from './secrets.ts'
import type { HubSettings } from './settings.ts'

export interface SandboxFsp {
  readonly name: ParticipantName
  /** For people, without a slash at the end. */
  readonly url: string
  /** For the hub, without a slash at the end. */
  readonly callbackUrl: string
  /** PEM: verifies what it signs. */
  readonly publicKey: string
  /** PEM: identifies it. */
  readonly certificate: string
  readonly secrets: FspSecrets
}

export type SandboxFsps = readonly [payer: SandboxFsp, payee: SandboxFsp]

export async function sandboxFsps(settings: HubSettings, secrets: Secrets): Promise<SandboxFsps> {
  return [await fsp('greenbank', settings, secrets), await fsp('bluewallet', settings, secrets)]
}

/** The second payee FSP of a payroll, next to bluewallet. */
export function thirdSandboxFsp(settings: HubSettings, secrets: Secrets): Promise<SandboxFsp> {
  return fsp('amberpay', settings, secrets)
}

export function sandboxPisp(settings: HubSettings, secrets: Secrets): Promise<SandboxFsp> {
  return fsp('lemonpay', settings, secrets)
}

/** Throws StartError for a participant that SANDBOX_FSPS_FILE lacks, and for one without fixed ports. */
export async function sandboxPorts(
  name: ParticipantName,
  settings: FspsSettings,
): Promise<Pick<FspEntry, 'port' | 'callbackPort'>> {
  const entry = (await readFsps(settings))[name]
  if (entry === undefined) throw new StartError(`SANDBOX_FSPS_FILE has no ${name}.`)
  for (const member of ['port', 'callbackPort'] as const) {
    if (entry[member] === 0) throw new StartError(`${memberName(name, member)} must not be 0.`)
  }
  return entry
}

async function fsp(
  name: ParticipantName,
  settings: HubSettings,
  secrets: Secrets,
): Promise<SandboxFsp> {
  const { port, callbackPort } = await sandboxPorts(name, settings)
  const files = await secrets.ofFsp(name)
  const publicKey = createPublicKey(readFileSync(files.signingKeyFile))
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    callbackUrl: `https://127.0.0.1:${callbackPort}/callbacks`,
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    certificate: readFileSync(files.certificateFile, 'utf8'),
    secrets: files,
  }
}
