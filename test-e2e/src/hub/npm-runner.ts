/** Runs `npm` in the project's folder as a user does, with a DATA_DIR and ports of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { freePorts, newDataDir, removeDataDir } from './hub-process.ts'
import { newSandboxPorts, writeFsps } from './sandbox.ts'

export const projectFolder = fileURLToPath(new URL('../../..', import.meta.url))

interface Summary {
  readonly ok: boolean
  readonly state: string
  readonly transferId: string
  readonly amount: string
  readonly currency: string
  readonly ms: Readonly<Record<'lookup' | 'quote' | 'transfer' | 'total', number>>
  readonly balances: Readonly<
    Record<'before' | 'after', Readonly<Record<string, { position: number; settlement: number }>>>
  >
  readonly urls: Readonly<Record<string, string>>
}

export interface NpmRun {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

type EnvironmentVariables = Readonly<Record<string, string>>

export interface NpmRunner {
  readonly dataDir: string
  readonly ports: EnvironmentVariables
  /** Of the sandbox FSPs, for people. */
  readonly sandboxPorts: EnvironmentVariables
  npm(args: readonly string[], settings?: EnvironmentVariables): Promise<NpmRun>
  npmStart(flags: readonly string[], settings?: EnvironmentVariables): Promise<NpmRun>
  close(): Promise<void>
}

/** The last line of a run with --json. */
export function summaryOf({ stdout }: NpmRun): Summary {
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Summary
}

export async function openNpmRunner(): Promise<NpmRunner> {
  const dataDir = await newDataDir()
  const ports: Record<string, string> = { ...(await freePorts()) }
  const sandbox = await newSandboxPorts()
  // In a folder of its own: `--fresh` deletes the contents of DATA_DIR.
  const folder = await newDataDir()
  ports['SANDBOX_FSPS_FILE'] = writeFsps(folder, sandbox)

  async function npm(
    args: readonly string[],
    settings: EnvironmentVariables = {},
  ): Promise<NpmRun> {
    const child = spawn('npm', args, {
      cwd: projectFolder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, DATA_DIR: dataDir, ...ports, ...settings },
    })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, stdout, stderr }
  }

  return {
    dataDir,
    ports,
    sandboxPorts: Object.fromEntries(
      Object.entries(sandbox).map(([name, { port }]) => [name, String(port)]),
    ),
    npm,
    npmStart: (flags, settings) => npm(['start', '--silent', '--', ...flags], settings),
    async close() {
      await removeDataDir(folder)
      await removeDataDir(dataDir)
    },
  }
}
