/** Free ports for the sandbox FSPs, and the file that tells the programs of them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from './hub-process.ts'

export const sandboxNames = ['greenbank', 'bluewallet', 'amberpay', 'lemonpay'] as const

export type SandboxPorts = Readonly<
  Record<(typeof sandboxNames)[number], { readonly port: number; readonly callbackPort: number }>
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
