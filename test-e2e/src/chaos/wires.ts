/**
 * The connections between services, each through a proxy that can be cut: data in transit is held
 * back and no new connection gets through, as in a network partition. No process is notified of it.
 */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

export interface Wires {
  /** Where the caller reaches a port of the provider on this machine. */
  lay(name: string, port: number): Promise<string>
  readonly names: readonly string[]
  cut(name: string): void
  /** Earlier connections are closed; new ones get through. */
  mend(name: string): void
  close(): void
}

interface Wire {
  readonly server: Server
  readonly sockets: Set<Socket>
  isCut: boolean
}

export function openWires(): Wires {
  const wires = new Map<string, Wire>()

  function of(name: string): Wire {
    const wire = wires.get(name)
    if (wire === undefined) throw new Error(`there is no link ${name}`)
    return wire
  }

  return {
    async lay(name, port) {
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
          if (wire.isCut) socket.pause()
        }
      })
      const wire: Wire = { server, sockets, isCut: false }
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      wires.set(name, wire)
      return `127.0.0.1:${(server.address() as AddressInfo).port}`
    },
    get names() {
      return [...wires.keys()]
    },
    cut(name) {
      const wire = of(name)
      wire.isCut = true
      for (const socket of wire.sockets) {
        socket.unpipe()
        socket.pause()
      }
    },
    mend(name) {
      const wire = of(name)
      wire.isCut = false
      for (const socket of wire.sockets) socket.destroy()
    },
    close() {
      for (const { server, sockets } of wires.values()) {
        server.close()
        for (const socket of sockets) socket.destroy()
      }
    },
  }
}
