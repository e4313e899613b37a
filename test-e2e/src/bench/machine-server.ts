/** The server of `machine.ts`: reads JSON, answers 202, and reports its own CPU time on request. */
import { createServer } from 'node:http'

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    JSON.parse(Buffer.concat(chunks).toString())
    response.writeHead(202, { 'content-length': '0' })
    response.end()
  })
})

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.(user + system)
})
process.on('disconnect', () => process.exit(0))

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address !== null && typeof address !== 'string') process.send?.(address.port)
})
