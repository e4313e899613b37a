/** A real Redis on a port of its own, which a test can kill and restart. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { freePorts } from '@causeway/bus/testing'
import { eventually } from '@causeway/process/testing'

export interface RedisServer {
  readonly url: string
  start(): Promise<void>
  /** kill -9: its data is lost. */
  kill(): Promise<void>
  /** It does not respond until it is resumed. */
  freeze(): void
  goOn(): void
}

export async function startRedis(): Promise<RedisServer> {
  const port = await freePorts()
  let child: ChildProcess | undefined
  const server: RedisServer = {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '']
      child = spawn('redis-server', [...options, '--appendonly', 'no'], { stdio: 'ignore' })
      await eventually(() => answers(port), 'redis-server (Debian: apt-get install redis-server)')
    },
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGCONT')
      child.kill('SIGKILL')
      await ended
    },
    freeze: () => void child?.kill('SIGSTOP'),
    goOn: () => void child?.kill('SIGCONT'),
  }
  await server.start()
  return server
}

function answers(port: number): Promise<true | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(undefined))
  })
}
