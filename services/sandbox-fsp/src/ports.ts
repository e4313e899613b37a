/**
 * The ports of a sandbox participant: a plain one for the people of this machine, and one for the
 * hub's callbacks, which arrive over TLS when it has a certificate, else at the plain port below
 * `/callbacks`.
 */
import { callbackHandler, serveCallbacks, type CallbackServer, type Fsp } from '@causeway/fsp'
import { serveHttp, type HttpServer } from '@causeway/http'
import { StartError, type Logger } from '@causeway/process'
import type { Express } from 'express'
import type { Credentials } from './credentials.ts'
import type { SandboxFspSettings } from './settings.ts'

export interface Ports {
  /** For people, without a slash at the end. */
  readonly url: string
  /** The address for the hub's callbacks: `<callbackUrl>/transfers/…`. */
  readonly callbackUrl: string
  stop(): Promise<void>
}

export interface PortOptions {
  readonly name: string
  readonly port: number
  readonly callbackPort: number
  readonly credentials: Credentials
  readonly settings: SandboxFspSettings
  readonly log: Logger
}

const callbacks = '/callbacks'

/** Closes the opened ports when a later part fails. */
export async function openPorts(fsp: Fsp, people: Express, options: PortOptions): Promise<Ports> {
  const { name, credentials, settings, log } = options
  const secure = await openCallbacks(fsp, options)
  const take = callbackHandler(fsp, callbacks)
  try {
    const server = await serveHttp({
      name: `sandbox FSP ${name}`,
      host: settings.SANDBOX_HOST,
      port: options.port,
      handler(request, response) {
        const isCallback = request.url?.startsWith(`${callbacks}/`) === true
        // With a certificate, callbacks on the plain port are not accepted.
        if (isCallback && credentials.callbackTls === undefined) take(request, response)
        else people(request, response)
      },
      log,
    })
    return {
      url: reachable(server.url),
      callbackUrl: callbackUrlOf(server, secure),
      async stop() {
        await secure?.stop()
        await server.stop()
      },
    }
  } catch (error) {
    await secure?.stop()
    throw error
  }
}

/**
 * For a server that listens on every address, an address of this machine: 0.0.0.0 cannot be called.
 */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:')
}

function callbackUrlOf(server: HttpServer, secure: CallbackServer | undefined): string {
  return secure === undefined ? `${server.url}${callbacks}` : secure.url
}

async function openCallbacks(
  fsp: Fsp,
  { name, callbackPort, credentials, settings }: PortOptions,
): Promise<CallbackServer | undefined> {
  if (credentials.callbackTls === undefined) return undefined
  const tls = { ...credentials.callbackTls, client: settings.HUB_NAME }
  try {
    return await serveCallbacks(fsp, {
      host: settings.SANDBOX_HOST,
      port: callbackPort,
      base: callbacks,
      tls,
    })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new StartError(
      `The sandbox FSP ${name} cannot take callbacks at ${callbackPort}: ${why}.`,
    )
  }
}
