/**
 * The speed of this machine, so that figures of two machines can be compared: the CPU time that a
 * bare node:http server takes for a POST of 1.2 KB. The best of several rounds counts, since other
 * work on the machine can only make them worse.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { availableParallelism, cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'

export interface Machine {
  readonly node_http_us_per_post: number
  readonly cores: number
  readonly cpu: string
  readonly node: string
}

const warmup_ms = 1_000
const round_ms = 700
const rounds = 3
const connections = 32
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
      node_http_us_per_post: Math.round(Math.min(...each_us) * 10) / 10,
      cores: availableParallelism(),
      cpu: cpus()[0]?.model ?? '',
      node: process.version,
    }
  } finally {
    await pool.destroy()
    child.disconnect()
  }
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
