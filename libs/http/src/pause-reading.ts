/** Stops reading a connection whose client sends too much: that slows the client without cost here. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const paused = new WeakSet<Socket>()

/** Reads nothing from the connection for this time. Requests that were read are still answered. */
function pauseReading(socket: Socket, length_ms: number): void {
  if (socket.destroyed || paused.has(socket)) return
  paused.add(socket)
  socket.pause()
  setTimeout(() => {
    paused.delete(socket)
    socket.resume()
  }, length_ms).unref()
}

/** The same, from the end of the response. */
export function pauseReadingAfter(response: ServerResponse, length_ms: number): void {
  const { socket } = response.req
  // When a response ends, Node.js resumes the connection to discard the rest of the request.
  response.once('close', () => setImmediate(() => pauseReading(socket, length_ms)))
}
