/**
 * The sandbox FSPs run in a process of their own, as FSPs do. It ends with the hub, also when the hub
 * is killed, because it watches its standard input.
 */
import { StartError } from '@causeway/runtime'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import type { SandboxFsp } from './onboarding.ts'
import type { HubSettings } from './settings.ts'

export interface Sandbox {
  readonly fsps: readonly [greenbank: SandboxFsp, bluewallet: SandboxFsp]
  stop(): Promise<void>
}

const start_ms_max = 15_000
const stop_ms_max = 5_000

export async function startSandbox(settings: HubSettings, hubUrl: string): Promise<Sandbox> {
  const { DATA_DIR, HUB_NAME, SANDBOX_GREENBANK_PORT, SANDBOX_BLUEWALLET_PORT } = settings
  const main = fileURLToPath(new URL('../../sandbox-fsp/dist/main.js', import.meta.url))
  const log = openSync(join(DATA_DIR, 'sandbox.log'), 'a', 0o600)
  const child = spawn(process.execPath, ['--enable-source-maps', main], {
    stdio: ['pipe', log, log],
    env: {
      HUB_URL: hubUrl,
      HUB_NAME,
      SANDBOX_GREENBANK_PORT: String(SANDBOX_GREENBANK_PORT),
      SANDBOX_BLUEWALLET_PORT: String(SANDBOX_BLUEWALLET_PORT),
      SANDBOX_EXIT_WITH_PARENT: 'on',
    },
  })
  const fsps = [
    { name: 'greenbank', url: `http://127.0.0.1:${SANDBOX_GREENBANK_PORT}` },
    { name: 'bluewallet', url: `http://127.0.0.1:${SANDBOX_BLUEWALLET_PORT}` },
  ] as const
  await Promise.all(fsps.map((fsp) => answering(fsp, child, DATA_DIR)))
  return { fsps, stop: () => stop(child) }
}

/** Asks until the FSP answers; a child that ended or a port that stays silent stops the start. */
async function answering(fsp: SandboxFsp, child: ChildProcess, dataDir: string): Promise<void> {
  const late = AbortSignal.timeout(start_ms_max)
  while (!late.aborted && child.exitCode === null) {
    const answer = await request(`${fsp.url}/health`, { signal: late }).catch(() => undefined)
    await answer?.body.dump()
    if (answer?.statusCode === 200) return
    await delay(20)
  }
  throw new StartError(
    `The sandbox FSP ${fsp.name} does not answer at ${fsp.url}; ${join(dataDir, 'sandbox.log')} says why.`,
  )
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), stop_ms_max)
  await ended
  clearTimeout(late)
}
