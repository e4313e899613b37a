/**
 * The speed of this machine, so that figures of two machines can be compared: the CPU time that a
 * bare node:http server takes for a POST of 1.2 KB, that of a signature, and that of a wake-up. Of
 * the first two the best of several rounds counts, since other work on the machine can only make
 * them worse; of the third the mean, since the depth of a processor's sleep varies.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { generateKeyPairSync, sign } from 'node:crypto'
import { availableParallelism, cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'

export interface Machine {
  readonly node_http_us_per_post: number
  /** RSA of 2,048 bits. */
  readonly rs256_us_per_signature: number
  /**
   * CPU of both processes, all their threads, for a byte to another process and back over a local
   * socket, both asleep before: one is woken by its timer and by the answer, the other by the byte.
   */
  readonly wakeup_us: number
  readonly cores: number
  readonly cpu: string
  readonly node: string
}

const warmup_ms = 1_000
const round_ms = 700
const rounds = 3
const signatures = 100
const connections = 32
/** Without a pause, so that the code is compiled. */
const warmupBytes = 2_000
/** About two seconds with the pauses. */
const bytes = 130
/** Long enough for both to fall asleep; at 60 messages per second the pauses are about as long. */
const pause_ms = 15
const body = JSON.stringify({ text: 'x'.repeat(1_200) })

export async function measureMachine(): Promise<Machine> {
  const child = fork(fileURLToPath(new URL('./machine-server.js', import.meta.url)))
  const pool = new Pool(`http://127.0.0.1:${await nextReport(child)}`, { connections })
  try {
    await post(pool, warmup_ms)
    const each_us: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const before_us = await cpuOf(child)
      const posts = await post(pool, round_ms)
      each_us.push(((await cpuOf(child)) - before_us) / posts)
    }
    return {
      node_http_us_per_post: tenths(Math.min(...each_us)),
      rs256_us_per_signature: tenths(signature_us()),
      wakeup_us: tenths(await wakeup_us()),
      cores: availableParallelism(),
      cpu: cpus()[0]?.model ?? '',
      node: process.version,
    }
  } finally {
    await pool.destroy()
    child.disconnect()
  }
}

function signature_us(): number {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const text = Buffer.from(body)
  const each_us = Array.from({ length: rounds }, () => {
    const before = process.cpuUsage()
    for (let n = 0; n < signatures; n += 1) sign('sha256', text, privateKey)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / signatures
  })
  return Math.min(...each_us)
}

async function wakeup_us(): Promise<number> {
  const file = fileURLToPath(new URL('./machine-echo.js', import.meta.url))
  const child = fork(file, { stdio: ['pipe', 'pipe', 'inherit', 'ipc'] })
  const exchange = () =>
    new Promise<void>((resolve) => {
      child.stdout?.once('data', () => resolve())
      child.stdin?.write('x')
    })
  try {
    for (let n = 0; n < warmupBytes; n += 1) await exchange()
    const before_us = await cpuOf(child)
    const before = process.cpuUsage()
    for (let n = 0; n < bytes; n += 1) {
      await new Promise((resolve) => setTimeout(resolve, pause_ms))
      await exchange()
    }
    const { user, system } = process.cpuUsage(before)
    return (user + system + (await cpuOf(child)) - before_us) / bytes
  } finally {
    child.disconnect()
  }
}

function tenths(n: number): number {
  return Math.round(n * 10) / 10
}

function cpuOf(child: ChildProcess): Promise<number> {
  const answer = nextReport(child)
  child.send('CPU')
  return answer
}

function nextReport(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => child.once('message', (n: number) => resolve(n)))
}

/** The number of answers. */
async function post(pool: Pool, for_ms: number): Promise<number> {
  const until_ms = performance.now() + for_ms
  let posts = 0
  const one = async () => {
    while (performance.now() < until_ms) {
      const answer = await pool.request({ method: 'POST', path: '/', body })
      await answer.body.dump()
      posts += 1
    }
  }
  await Promise.all(Array.from({ length: connections }, one))
  return posts
}
