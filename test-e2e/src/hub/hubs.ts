/**
 * The hubs that stories share: one for each set of settings, started when the first story asks for
 * it and stopped after the last one. They belong to the process that runs before all stories, which
 * answers each story with their addresses.
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { json } from 'node:stream/consumers'
import type { Operator } from '../operator/operator.ts'

export type HubSettings = Readonly<Record<string, string>>

/** The addresses of a hub. */
export interface HubAddress {
  readonly urls: { readonly fsp: string; readonly operator: string }
  /** The password of the first administrator, until it is changed. */
  readonly passwordFile: string
}

export interface SharedHub extends HubAddress {
  readonly operator: Operator
  stop(): Promise<unknown>
}

interface HubServer {
  readonly server: Server
  readonly hubs: ReadonlyMap<string, Promise<SharedHub>>
}

declare global {
  // The teardown is another module in the same process.
  var causewayHubs: HubServer | undefined
}

/** The variable of the stories' environment that names the server of the hubs. */
const hubServerVariable = 'CAUSEWAY_TEST_HUBS'

export async function serveHubs(
  open: (settings: HubSettings) => Promise<SharedHub>,
): Promise<void> {
  const hubs = new Map<string, Promise<SharedHub>>()
  const hubWith = async (settings: HubSettings): Promise<HubAddress> => {
    const key = JSON.stringify(settings)
    const opening = hubs.get(key) ?? open(settings)
    hubs.set(key, opening)
    const { urls, passwordFile } = await opening
    return { urls, passwordFile }
  }
  const server = createServer((request, response) => {
    json(request)
      .then((settings) => hubWith(settings as HubSettings))
      .then((hub) => response.end(JSON.stringify(hub)))
      .catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  process.env[hubServerVariable] = `http://127.0.0.1:${address.port}`
  globalThis.causewayHubs = { server, hubs }
}

/** The hub that has these settings. */
export async function sharedHub(settings: HubSettings): Promise<HubAddress> {
  const hubServer = process.env[hubServerVariable]
  if (hubServer === undefined) throw new Error('Stories are run by `npm run test:e2e`')
  const answer = await fetch(hubServer, { method: 'POST', body: JSON.stringify(settings) })
  if (!answer.ok) throw new Error(await answer.text())
  return (await answer.json()) as HubAddress
}

/** Stops them; throws when the data that all stories have left in one is not consistent. */
export async function stopHubs(): Promise<void> {
  const hubServer = globalThis.causewayHubs
  if (hubServer === undefined) return
  hubServer.server.close()
  const opened = await Promise.allSettled(hubServer.hubs.values())
  const hubs = opened.flatMap((hub) => (hub.status === 'fulfilled' ? [hub.value] : []))
  const verified = await Promise.allSettled(hubs.map(verifyAndStop))
  const failures = verified.flatMap((end) =>
    end.status === 'rejected' ? [end.reason as unknown] : [],
  )
  if (failures.length > 0)
    throw new AggregateError(failures, 'a hub is not consistent after the stories')
}

async function verifyAndStop(hub: SharedHub): Promise<void> {
  try {
    const { json: verification } = await hub.operator.call('POST', '/verify')
    const { clean } = verification as { readonly clean: boolean }
    if (!clean) throw new Error(JSON.stringify(verification))
  } finally {
    await hub.stop()
  }
}
