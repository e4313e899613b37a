/**
 * One sandbox FSP with its HTTP server: `/payments` for people, `/callbacks` for the hub. Callbacks
 * do not pass through Express, because its router costs more than all the rest of their work.
 */
import { createFsp, type Fsp, type IncomingTransfer, type PayeeDecision } from '@causeway/fsp'
import { contentType } from '@causeway/fspiop'
import { serveHttp, type HttpServer, type Logger } from '@causeway/runtime'
import express, { type ErrorRequestHandler, type Express } from 'express'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { conductOf, rejection } from './domain/conduct.ts'
import { pay } from './payments.ts'
import type { Settings } from './settings.ts'
import { sandboxSecret } from './terms.ts'

export interface Bank {
  readonly name: string
  /** Without a slash at the end; the hub's callbacks go to `<url>/callbacks`. */
  readonly url: string
  stop(): Promise<void>
}

const silence_ms = 2_000
const margin_ms = 5_000
const delay_ms = 2_000
const body_bytes_max = 5 * 1024 * 1024
const callbacks = '/callbacks'

export async function openBank(
  name: string,
  port: number,
  settings: Settings,
  log: Logger,
): Promise<Bank> {
  const fsp = createFsp({
    name,
    hubUrl: settings.HUB_URL,
    hubName: settings.HUB_NAME,
    secret: sandboxSecret(name),
    silence_ms,
    margin_ms,
    onTransfer: decide,
    onOutcome: (outcome) => log.debug(outcome, 'the hub told the outcome'),
    onDropped: (method, path, why) => log.warn({ method, path, why }, 'a message was not believed'),
  })
  const app = peopleApp(fsp, settings.SANDBOX_VALIDITY_MS)
  let server: HttpServer
  try {
    server = await serveHttp({
      name: `sandbox FSP ${name}`,
      host: '127.0.0.1',
      port,
      handler(request, response) {
        if (request.url?.startsWith(`${callbacks}/`) === true) takeCallback(fsp, request, response)
        else app(request, response)
      },
      log,
    })
  } catch (error) {
    await fsp.close()
    throw error
  }
  return {
    name,
    url: server.url,
    async stop() {
      await fsp.close()
      await server.stop()
    },
  }
}

async function decide({ amount, extensions }: IncomingTransfer): Promise<PayeeDecision> {
  switch (conductOf(amount.amount, extensions)) {
    case 'commit':
      return { type: 'COMMIT' }
    case 'reserve':
      return { type: 'RESERVE' }
    case 'reject':
      return { type: 'REJECT', error: rejection }
    case 'delay':
      await pause(delay_ms)
      return { type: 'COMMIT' }
    case 'ignore':
      return { type: 'IGNORE' }
  }
}

function peopleApp(fsp: Fsp, validity_ms: number): Express {
  const app = express()
  app.disable('x-powered-by')
  app.get('/health', (_request, response) => {
    response.json({ status: 'OK', fsp: fsp.name })
  })
  app.post('/payments', express.json({ type: () => true }), async (request, response) => {
    const { status, body } = await pay(fsp, request.body, validity_ms)
    response.status(status).json(body)
  })
  app.use((request, response) => {
    response.status(404).json({ error: `there is no ${request.method} ${request.path} here` })
  })
  app.use(unreadable)
  return app
}

const unreadable: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (response.headersSent) {
    next(error)
    return
  }
  const message = error instanceof Error ? error.message : 'the request cannot be read'
  response.status(400).json({ error: message })
}

const answerHeaders = { 'content-type': contentType('transfers', '1.1'), 'content-length': 0 }

function takeCallback(fsp: Fsp, request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = []
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > body_bytes_max) request.destroy()
    else chunks.push(chunk)
  })
  request.on('end', () => {
    const { method = '', url = '', headers } = request
    const [first = Buffer.alloc(0)] = chunks
    const body = chunks.length > 1 ? Buffer.concat(chunks) : first
    const status = fsp.receive(method, url.slice(callbacks.length), headers, body)
    response.writeHead(status, answerHeaders)
    response.end()
  })
}
