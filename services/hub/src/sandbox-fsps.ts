/**
 * The sandbox FSPs and the sandbox PISP as the hub's start configures them: addresses and
 * credentials.
 */
import { createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FspSecrets, Secrets } from './secrets.ts'
import type { HubSettings } from './settings.ts'

export interface SandboxFsp {
  readonly name: 'greenbank' | 'bluewallet' | 'amberpay' | 'lemonpay'
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
  const { SANDBOX_GREENBANK_PORT, SANDBOX_GREENBANK_TLS_PORT } = settings
  const { SANDBOX_BLUEWALLET_PORT, SANDBOX_BLUEWALLET_TLS_PORT } = settings
  return [
    await fsp('greenbank', SANDBOX_GREENBANK_PORT, SANDBOX_GREENBANK_TLS_PORT, secrets),
    await fsp('bluewallet', SANDBOX_BLUEWALLET_PORT, SANDBOX_BLUEWALLET_TLS_PORT, secrets),
  ]
}

/** The second payee FSP of a payroll, next to bluewallet. */
export function thirdSandboxFsp(settings: HubSettings, secrets: Secrets): Promise<SandboxFsp> {
  const { SANDBOX_AMBERPAY_PORT, SANDBOX_AMBERPAY_TLS_PORT } = settings
  return fsp('amberpay', SANDBOX_AMBERPAY_PORT, SANDBOX_AMBERPAY_TLS_PORT, secrets)
}

export function sandboxPisp(settings: HubSettings, secrets: Secrets): Promise<SandboxFsp> {
  const { SANDBOX_LEMONPAY_PORT, SANDBOX_LEMONPAY_TLS_PORT } = settings
  return fsp('lemonpay', SANDBOX_LEMONPAY_PORT, SANDBOX_LEMONPAY_TLS_PORT, secrets)
}

async function fsp(
  name: SandboxFsp['name'],
  port: number,
  tlsPort: number,
  secrets: Secrets,
): Promise<SandboxFsp> {
  const files = await secrets.ofFsp(name)
  const publicKey = createPublicKey(readFileSync(files.signingKeyFile))
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    callbackUrl: `https://127.0.0.1:${tlsPort}/callbacks`,
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    certificate: readFileSync(files.certificateFile, 'utf8'),
    secrets: files,
  }
}
