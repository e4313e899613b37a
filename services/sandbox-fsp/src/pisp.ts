/**
 * The sandbox PISP: it plays an app and its user, who has a FIDO or a GENERIC key for each consent.
 */
import { createFsp, type Fsp, type KeysOf } from '@causeway/fsp'
import { publicJwk } from '@causeway/fsp'
import type { Logger } from '@causeway/process'
import express, { type Express } from 'express'
import type { Credentials } from './credentials.ts'
import { linkOnRequest } from './links.ts'
import { refuseForeignPages, unreadable } from './people.ts'
import { openPorts, type Ports } from './ports.ts'
import type { SandboxFspSettings } from './settings.ts'
import { payFromLinkOnRequest } from './third-party-payments.ts'
import { openUsers, type Users } from './users.ts'

export const pispName = 'lemonpay'

export interface SandboxPisp extends Ports {
  readonly name: typeof pispName
}

export interface PispParts {
  readonly port: number
  readonly callbackPort: number
  readonly credentials: Credentials
  readonly keysOf: KeysOf
  readonly settings: SandboxFspSettings
  readonly log: Logger
}

const resendAfter_ms = 2_000
const margin_ms = 5_000

export async function openSandboxPisp(parts: PispParts): Promise<SandboxPisp> {
  const { credentials, keysOf, settings, log } = parts
  const { tls, token, signing, secret } = credentials
  const fsp = createFsp({
    name: pispName,
    hubUrl: settings.HUB_URL,
    hubName: settings.HUB_NAME,
    secret,
    ...(tls && { tls }),
    ...(token && { token }),
    ...(signing && { signing, keysOf }),
    resendAfter_ms,
    margin_ms,
    pisp: { authService: settings.AUTH_SERVICE_PARTICIPANT },
    onDropped: (method, target, error) => log.warn({ method, target, error }, 'message rejected'),
  })
  let url = ''
  const users = openUsers(() => url)
  try {
    const ports = await openPorts(fsp, app(fsp, users, parts), { name: pispName, ...parts })
    url = ports.url
    return {
      ...ports,
      name: pispName,
      async stop() {
        await fsp.close()
        await ports.stop()
      },
    }
  } catch (error) {
    await fsp.close()
    throw error
  }
}

function app(fsp: Fsp, users: Users, { credentials, settings }: PispParts): Express {
  const { signing } = credentials
  const json = express.json({ type: () => true })
  const people = express()
  people.disable('x-powered-by')
  people.use(refuseForeignPages(settings.SANDBOX_HOST))
  people.get('/health', (_request, response) => {
    response.json({ status: 'OK', fsp: pispName, registered: true })
  })
  people.get('/.well-known/jwks.json', (_request, response) => {
    response.json({ keys: signing === undefined ? [] : [publicJwk(signing)] })
  })
  people.post('/ping', async (_request, response) => {
    const result = await fsp.ping()
    response.status(result.state === 'ANSWERED' ? 200 : 502).json(result)
  })
  people.get('/providers', async (_request, response) => {
    response.json(await fsp.pisp.providers())
  })
  people.get('/accounts/:dfsp/:user', async (request, response) => {
    const { dfsp, user } = request.params
    response.json(await fsp.pisp.accounts(dfsp, user))
  })
  people.get('/links', (_request, response) => {
    response.json([...fsp.pisp.consents()])
  })
  people.post('/links', json, async (request, response) => {
    const { status, body } = await linkOnRequest(fsp, users, request.body)
    response.status(status).json(body)
  })
  people.get('/linked', (_request, response) => {
    response.type('html').send('<p>You may go back to the app.</p>')
  })
  people.delete('/links/:id', async (request, response) => {
    const result = await fsp.pisp.unlink(request.params.id)
    response.status(result.state === 'UNLINKED' ? 200 : 409).json(result)
  })
  people.post('/payments', json, async (request, response) => {
    const { SANDBOX_VALIDITY_MS: validity_ms } = settings
    const asked: unknown = request.body
    const { status, body } = await payFromLinkOnRequest(fsp, users, asked, validity_ms)
    response.status(status).json(body)
  })
  people.use((request, response) => {
    response.status(404).json({ error: `there is no ${request.method} ${request.path} here` })
  })
  people.use(unreadable)
  return people
}
