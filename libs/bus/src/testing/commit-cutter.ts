/**
 * A proxy between a PostgreSQL client and its server that breaks the connection at a COMMIT: before it
 * arrives, after it was executed and before its response arrives, or while it is in transit.
 */
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { statement } from '@causeway/postgres'
import type { CommitOutcome } from './bus-under-test.ts'

export interface CommitCutter {
  onTheirWay(): number
  close(): Promise<void>
}

/** The name of the prepared statement, which is in every message that runs it. */
const commit = statement('commit').name
const late_ms = 100

/** Listens on `path` and forwards everything to `server`. */
export function openCommitCutter(
  path: string,
  server: string,
  decide: () => CommitOutcome,
): Promise<CommitCutter> {
  const open = new Set<Socket>()
  let onTheirWay = 0
  const listener: Server = createServer((client) => {
    const upstream = createConnection(server)
    const cut = () => {
      client.destroy()
      upstream.destroy()
    }
    let outcome: CommitOutcome = 'pass'
    const comeLate = (data: Buffer) => {
      client.destroy()
      onTheirWay++
      upstream.once('close', () => onTheirWay--)
      setTimeout(() => upstream.end(data), late_ms)
    }
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', cut)
      socket.on('close', () => {
        open.delete(socket)
        if (outcome !== 'arrives late') cut()
      })
    }
    client.on('data', (data) => {
      outcome = data.includes(commit) ? decide() : 'pass'
      if (outcome === 'never arrives') cut()
      else if (outcome === 'arrives late') comeLate(data)
      else upstream.write(data)
    })
    upstream.on('data', (data) => {
      // The first message of the server after COMMIT confirms it.
      if (outcome === 'answer lost') cut()
      else client.write(data)
    })
  })
  return new Promise((resolve, reject) => {
    listener.once('error', reject)
    listener.listen(path, () => {
      resolve({
        onTheirWay: () => onTheirWay,
        close: () =>
          new Promise((closed) => {
            for (const socket of open) socket.destroy()
            listener.close(() => closed())
          }),
      })
    })
  })
}
