/**
 * The connections between services, each through a proxy that can be cut: data in transit is held
 * back and no new connection gets through, as in a network partition. No process is notified of it.
 */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

export interface Links {
  /** Where the caller reaches a port of the provider on this machine. */
  open(name: string, port: number): Promise<string>
  readonly names: readonly string[]
  cut(name: string): void
  /** Earlier connections are closed; new ones get through. */
  restore(name: string): void
  close(): void
}

interface Link {
  readonly server: Server
  readonly sockets: Set<Socket>
  isCut: boolean
}

export function openLinks(): Links {
  const links = new Map<string, Link>()

  function of(name: string): Link {
    const link = links.get(name)
    if (link === undefined) throw new Error(`there is no link ${name}`)
    return link
  }

  return {
    async open(name, port) {
      const sockets = new Set<Socket>()
      const server = createServer({ allowHalfOpen: true }, (near) => {
        const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
        for (const [socket, other] of [
          [near, far],
          [far, near],
        ] as const) {
          sockets.add(socket)
          socket.on('error', () => other.destroy())
          socket.on('close', () => {
            sockets.delete(socket)
            other.destroy()
          })
          socket.pipe(other)
          if (link.isCut) socket.pause()
        }
      })
      const link: Link = { server, sockets, isCut: false }
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      links.set(name, link)
      return `127.0.0.1:${(server.address() as AddressInfo).port}`
    },
    get names() {
      return [...links.keys()]
    },
    cut(name) {
      const link = of(name)
      link.isCut = true
      for (const socket of link.sockets) {
        socket.unpipe()
        socket.pause()
      }
    },
    restore(name) {
      const link = of(name)
      link.isCut = false
      for (const socket of link.sockets) socket.destroy()
    },
    close() {
      for (const { server, sockets } of links.values()) {
        server.close()
        for (const socket of sockets) socket.destroy()
      }
    },
  }
}
