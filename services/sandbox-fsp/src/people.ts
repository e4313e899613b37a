/**
 * The plain port of a sandbox FSP, for the people of this machine: pay, request a payment, ping,
 * read.
 */
import { publicJwk, type Fsp, type Signing } from '@causeway/fsp'
import { foreignPage, isLoopbackHost } from '@causeway/http'
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import { customersOf, type SandboxName } from './customers.ts'
import { linkingRoutes, type SandboxDfsp } from './linking.ts'
import { payOnRequest } from './payments.ts'
import { payStaff } from './payrolls.ts'
import type { CustomerRegistration } from './registration.ts'
import type { SandboxFspSettings } from './settings.ts'

export interface PeopleParts {
  readonly fsp: Fsp
  readonly name: SandboxName
  readonly registration: Pick<CustomerRegistration, 'isDone'>
  readonly dfsp: SandboxDfsp
  readonly signing: Signing | undefined
  /** Whether there is anybody whom `POST /payrolls` pays. */
  readonly hasPayroll: boolean
}

export function peopleApp(
  { fsp, name, registration, dfsp, signing, hasPayroll }: PeopleParts,
  { SANDBOX_HOST, SANDBOX_VALIDITY_MS }: SandboxFspSettings,
): Express {
  const app = express()
  app.disable('x-powered-by')
  app.use(refuseForeignPages(SANDBOX_HOST))
  app.get('/health', (_request, response) => {
    response.json({ status: 'OK', fsp: name, registered: registration.isDone() })
  })
  app.get('/customers', (_request, response) => {
    const customers = customersOf(name).map((customer) => ({
      partyIdType: customer.type,
      partyIdentifier: customer.id,
      name: customer.name,
    }))
    response.json(customers)
  })
  app.get('/.well-known/jwks.json', (_request, response) => {
    response.json({ keys: signing === undefined ? [] : [publicJwk(signing)] })
  })
  app.post('/payments', express.json({ type: () => true }), async (request, response) => {
    const { status, body } = await payOnRequest(fsp, name, request.body, SANDBOX_VALIDITY_MS)
    response.status(status).json(body)
  })
  // One line of JSON for each step, the outcome last; the status is 200 as soon as there is a step.
  app.post('/payrolls', express.json({ type: () => true }), async (request, response) => {
    if (!hasPayroll) {
      response
        .status(404)
        .json({ error: 'nobody is on the payroll: SANDBOX_FSPS_FILE has no amberpay' })
      return
    }
    const { status, body } = await payStaff(fsp, name, request.body, (progress) => {
      if (!response.headersSent) response.type('application/x-ndjson')
      response.write(`${JSON.stringify({ progress })}\n`)
    })
    if (response.headersSent) response.end(`${JSON.stringify(body)}\n`)
    else response.status(status).json(body)
  })
  app.post('/ping', async (_request, response) => {
    const result = await fsp.ping()
    response.status(result.state === 'ANSWERED' ? 200 : 502).json(result)
  })
  app.use(linkingRoutes(fsp, dfsp))
  app.use((request, response) => {
    response.status(404).json({ error: `there is no ${request.method} ${request.path} here` })
  })
  app.use(unreadable)
  return app
}

/** Nobody logs in here: a web page that is open on this machine may not pay. */
export function refuseForeignPages(host: string): RequestHandler {
  const onLoopback = isLoopbackHost(host)
  return (request, response, next) => {
    const foreign = foreignPage(request, onLoopback)
    if (foreign === undefined) next()
    else response.status(403).json({ error: `a request of a web page: ${foreign}` })
  }
}

/** A malformed JSON body. */
export const unreadable: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (response.headersSent) {
    next(error)
    return
  }
  const message = error instanceof Error ? error.message : 'the request cannot be read'
  response.status(400).json({ error: message })
}
