/**
 * Loaded into the processes of a hub, of this version or another (`node --import`): counts what they
 * exchange with PostgreSQL and with the brokers, and what they allocate. On SIGUSR2 it writes the counts to
 * a file with the number of the process. It uses Node.js alone, so that any checkout can load it.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { brokerPortVariable, folderVariable, type ProcessCounts } from './counts.ts'

/** Of the heap, for each sample: about one a payment, so that taking them costs little. */
const sampled_bytes = 524_288

const folder = process.env[folderVariable] ?? ''
const brokerPort = Number(process.env[brokerPortVariable])
const counts = { round_trips: 0, broker_requests: 0 }

type Target = 'POSTGRES' | 'BROKER' | undefined

function targetOf([first]: readonly unknown[]): Target {
  const to = [first].flat()[0]
  const { path, port } =
    typeof to === 'object' && to !== null
      ? (to as { readonly path?: string; readonly port?: number })
      : { path: String(to), port: Number(to) }
  if (path?.includes('.s.PGSQL.') === true) return 'POSTGRES'
  return Number(port) === brokerPort ? 'BROKER' : undefined
}

/** What is sent before anything has come back is one round trip. */
function countRoundTrips(socket: Socket): void {
  let isWaiting = false
  socket.on('data', () => (isWaiting = false))
  countWrites(socket, () => {
    if (!isWaiting) counts.round_trips += 1
    isWaiting = true
  })
}

function countWrites(socket: Socket, onWrite: () => void): void {
  const write = socket.write.bind(socket) as (...values: unknown[]) => boolean
  socket.write = (...values: unknown[]) => {
    onWrite()
    return write(...values)
  }
}

const counted = new WeakSet<Socket>()
// eslint-disable-next-line typescript/unbound-method -- Called with its socket below.
const connect = Socket.prototype.connect as (this: Socket, ...values: unknown[]) => Socket
Socket.prototype.connect = function connectCounted(this: Socket, ...values: unknown[]) {
  const target = targetOf(values)
  // It may give the socket the method `write` anew.
  const socket = connect.apply(this, values)
  if (target !== undefined && !counted.has(this)) {
    counted.add(this)
    if (target === 'POSTGRES') countRoundTrips(this)
    // A request is one piece.
    else countWrites(this, () => (counts.broker_requests += 1))
  }
  return socket
}

const session = new Session()
session.connect()
session.post('HeapProfiler.startSampling', {
  samplingInterval: sampled_bytes,
  // Of all that was allocated, not of what is left.
  includeObjectsCollectedByMajorGC: true,
  includeObjectsCollectedByMinorGC: true,
})

interface Allocation {
  readonly selfSize: number
  readonly children: readonly Allocation[]
}

function sizeOf({ selfSize, children }: Allocation): number {
  return children.reduce((sum, child) => sum + sizeOf(child), selfSize)
}

process.on('SIGUSR2', () => {
  session.post('HeapProfiler.getSamplingProfile', (error, answer) => {
    const allocated_bytes = error === null ? sizeOf(answer.profile.head) : NaN
    const file = join(folder, String(process.pid))
    const all: ProcessCounts = { ...counts, allocated_bytes }
    writeFileSync(`${file}.part`, JSON.stringify(all))
    renameSync(`${file}.part`, file)
  })
})
