/**
 * The other side of `http.ts`: reads JSON, answers 202, and reports its own CPU time on request.
 */
import { createServer, type ServerOptions } from 'node:https'
import { ownCpu_us } from './measure.ts'

process.on('message', (message: ServerOptions | 'CPU') => {
  if (message === 'CPU') return void process.send?.(ownCpu_us())
  const server = createServer({ ...message, requestCert: true }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString())
      response.writeHead(202, { 'content-length': '0' })
      response.end()
    })
  })
  // An idle connection is not closed.
  server.keepAliveTimeout = 0
  server.listen(0, 'localhost', () => {
    const address = server.address()
    if (address !== null && typeof address !== 'string') process.send?.(address.port)
  })
})
process.on('disconnect', () => process.exit(0))
