/** The certification kit as a command, and an FSP that does nothing but answer 404. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'

const command = fileURLToPath(
  new URL('../../../services/certification/dist/main.js', import.meta.url),
)

export interface Certified {
  readonly exitCode: number
  readonly output: string
}

/** Runs `npm run certify` with these parameters, on the built kit. */
export function certify(parameters: readonly string[]): Promise<Certified> {
  return new Promise((resolve) => {
    const kit = execFile(process.execPath, [command, ...parameters], (_, stdout, stderr) => {
      resolve({ exitCode: kit.exitCode ?? -1, output: `${stdout}${stderr}` })
    })
  })
}

export interface IdleFsp {
  readonly url: string
  stop(): Promise<void>
}

/** It knows no path, so that of the cases about servers only some pass. */
export async function openIdleFsp(): Promise<IdleFsp> {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
