/** A proxy between a client and PostgreSQL that breaks the connection at the moment a test chooses. */
import { createServer, connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { socketPort } from '../hub-lock.ts'
import { temporaryFolder, testSocketFolder } from './test-server.ts'

/** 'lost': the server does not receive the bytes. 'unanswered': it does, and its response is lost. */
export type Breaking = 'lost' | 'unanswered'

export interface BreakingProxy {
  readonly socketFolder: string
  /** Breaks the connection on which these bytes are sent next. */
  breakAt(words: string, how: Breaking): void
  /**
   * From now on nothing is forwarded and nothing is closed, on open and on new connections, as when the
   * machine on the other side is gone.
   */
  freeze(): void
  stop(): Promise<void>
}

/** Listens on a socket folder of its own. */
export async function openBreakingProxy(): Promise<BreakingProxy> {
  const socketFolder = temporaryFolder('proxy')
  let breaking: { readonly words: string; readonly how: Breaking } | undefined
  const file = `.s.PGSQL.${socketPort}`
  const sockets = new Set<Socket>()
  let frozen = false
  const proxy = createServer((client) => {
    const server = connect(join(testSocketFolder(), file))
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        // The end of a frozen connection is not reported.
        if (frozen && socket === server) return
        client.destroy()
        server.destroy()
      })
    }
    let unanswered = false
    client.on('data', (bytes) => {
      if (frozen) return
      const how =
        breaking !== undefined && bytes.includes(breaking.words) ? breaking.how : undefined
      if (how !== undefined) breaking = undefined
      if (how === 'lost') client.destroy()
      else server.write(bytes)
      unanswered ||= how === 'unanswered'
    })
    server.on('data', (bytes) => {
      if (frozen) return
      if (unanswered) client.destroy()
      else client.write(bytes)
    })
  })
  await new Promise<void>((resolve) => proxy.listen(join(socketFolder, file), resolve))
  return {
    socketFolder,
    breakAt(words, how) {
      breaking = { words, how }
    },
    freeze() {
      frozen = true
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => proxy.close(resolve))
    },
  }
}
