/**
 * A proxy between a Kafka client and its broker that drops the connection on the response to a Produce
 * request: the broker has the messages, and the client does not know.
 */
import { connect, createServer, type Socket } from 'node:net'

export interface ProduceCutter {
  /** Called once for each Produce request. */
  isDropped: () => boolean
  /** Number of dropped responses. */
  readonly dropped: () => number
  close(): Promise<void>
}

const produce = 0
const length_bytes = 4

/** Listens on one port and forwards everything to the other. */
export function openProduceCutter(port: number, brokerPort: number): Promise<ProduceCutter> {
  const open = new Set<Socket>()
  let dropped = 0
  const cutter: ProduceCutter = {
    isDropped: () => false,
    dropped: () => dropped,
    close: () =>
      new Promise((closed) => {
        for (const socket of open) socket.destroy()
        server.close(() => closed())
      }),
  }
  const server = createServer((client) => {
    const upstream = connect(brokerPort, '127.0.0.1')
    const cut = () => {
      client.destroy()
      upstream.destroy()
    }
    let isCut = false
    const look = frames((frame) => {
      if (frame.readInt16BE(length_bytes) === produce && cutter.isDropped()) isCut = true
    })
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', cut)
      socket.on('close', () => {
        open.delete(socket)
        cut()
      })
    }
    client.on('data', (data) => {
      look(data)
      upstream.write(data)
    })
    upstream.on('data', (data) => {
      if (isCut) {
        dropped++
        cut()
      } else client.write(data)
    })
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(cutter))
  })
}

/** Splits a stream into the messages of the protocol, each with its length before it. */
function frames(onFrame: (frame: Buffer) => void): (data: Buffer) => void {
  let rest = Buffer.alloc(0)
  return (data) => {
    rest = Buffer.concat([rest, data])
    while (rest.length >= length_bytes) {
      const end = length_bytes + rest.readInt32BE(0)
      if (rest.length < end) return
      onFrame(rest.subarray(0, end))
      rest = rest.subarray(end)
    }
  }
}
