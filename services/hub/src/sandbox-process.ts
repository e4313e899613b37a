/**
 * Runs the sandbox FSPs in a separate process, as real FSPs would be. The process watches its
 * standard input, so that it ends with the hub, even when the hub is killed.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { StartError } from '@causeway/process'
import type { FspEntry } from '@causeway/sandbox-fsp/fsps'
import { request } from 'undici'
import type { ClientSecret } from './onboarding.ts'
import type { SandboxFsp, SandboxFsps } from './sandbox-fsps.ts'
import { write } from './secret-files.ts'
import type { HubSettings } from './settings.ts'

export interface Sandbox {
  stop(): Promise<void>
}

/** By FSP name; empty when FSPs need none. */
export type ClientSecrets = ReadonlyMap<string, ClientSecret>

const start_ms_max = 60_000
const stop_ms_max = 5_000

/** Resolves when the hub has registered the customers of all FSPs. */
export async function startSandbox(
  settings: HubSettings,
  hub: { readonly fsp: string; readonly operator: string },
  fsps: readonly [...SandboxFsps, ...others: SandboxFsp[]],
  clientSecrets: ClientSecrets,
): Promise<Sandbox> {
  const { DATA_DIR, HUB_NAME } = settings
  const main = fileURLToPath(new URL('../../sandbox-fsp/dist/main.js', import.meta.url))
  const fspsFile = join(DATA_DIR, 'secrets', 'sandbox-fsps.json')
  const entries = fsps.map((fsp) => [fsp.name, entryOf(fsp, clientSecrets)])
  write(fspsFile, JSON.stringify(Object.fromEntries(entries), null, 2))
  const log = openSync(join(DATA_DIR, 'sandbox.log'), 'a', 0o600)
  const child = spawn(process.execPath, ['--enable-source-maps', main], {
    stdio: ['pipe', log, log],
    env: {
      HUB_URL: hub.fsp,
      HUB_NAME,
      SANDBOX_IDENTITY: settings.EDGE_IDENTITY,
      SANDBOX_SIGNING: settings.JWS_VERIFY,
      SANDBOX_PEER_KEYS_URL: `${hub.operator}/participants/{name}/keys`,
      SANDBOX_EXIT_WITH_PARENT: 'on',
      SANDBOX_FSPS_FILE: fspsFile,
      SANDBOX_VALIDITY_MS: String(settings.SANDBOX_VALIDITY_MS),
      AUTH_SERVICE_PARTICIPANT: settings.AUTH_SERVICE_PARTICIPANT,
    },
  })
  try {
    await Promise.all(fsps.map((fsp) => registered(fsp, child, DATA_DIR)))
    return { stop: () => stop(child) }
  } catch (error) {
    await stop(child)
    throw error
  }
}

function entryOf(
  { name, url, callbackUrl, secrets }: SandboxFsp,
  clientSecrets: ClientSecrets,
): FspEntry {
  return {
    port: Number(new URL(url).port),
    callbackPort: Number(new URL(callbackUrl).port),
    ...secrets,
    ...clientSecrets.get(name),
  }
}

/**
 * Polls until the FSP is ready; a child that has ended or an FSP without progress stops the start.
 */
async function registered(fsp: SandboxFsp, child: ChildProcess, dataDir: string): Promise<void> {
  const late = AbortSignal.timeout(start_ms_max)
  while (!late.aborted && child.exitCode === null) {
    if (await isRegistered(fsp, late)) return
    await delay(20)
  }
  throw new StartError(
    `The sandbox FSP ${fsp.name} at ${fsp.url} could not register its customers at the hub; ` +
      `see ${join(dataDir, 'sandbox.log')}.`,
  )
}

async function isRegistered({ url }: SandboxFsp, signal: AbortSignal): Promise<boolean> {
  try {
    const answer = await request(`${url}/health`, { signal })
    return ((await answer.body.json()) as { registered?: boolean }).registered === true
  } catch {
    return false
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), stop_ms_max)
  await ended
  clearTimeout(late)
}
