/**
 * The pages next to the API: health, the errors page, the OpenAPI document, the hub's keys, tokens for
 * FSPs, the reconciliation of their transfers, and the reports of their days.
 */
import { retryAfter } from '@causeway/http'
import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HealthPage } from './health.ts'
import type { IssueToken } from '../security.ts'
import type { PageHandler } from './own-page.ts'
import type { ReportPages } from './reports-page.ts'
import { openTokenPage, refuseToken } from './token-page.ts'

export interface AppParts {
  readonly health: HealthPage
  readonly errorsPage: string
  readonly openApi: object
  readonly jwks: object
  readonly issueToken: IssueToken
  readonly reconciliation: PageHandler
  readonly reports: ReportPages
  readonly onUnknownPath: (request: IncomingMessage, response: ServerResponse) => void
  /** For a path that cannot be decoded; nothing of the response is sent. */
  readonly onUnreadable: (response: ServerResponse) => void
}

/** The first segments of the paths that `createApp` serves. */
export const pagePaths = [
  '/health',
  '/errors',
  '/openapi.json',
  '/.well-known',
  '/token',
  '/reconciliation',
  '/reports',
]

const form = express.urlencoded({ extended: false, limit: '4kb' })

export function createApp(parts: AppParts): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.get('/health', async (_request, response) => {
    const page = await parts.health()
    const status = page.status === 'OK' ? 200 : 503
    response.set(retryAfter(status)).status(status).json(page)
  })
  app.get('/errors', (_request, response) => {
    response.type('html').send(parts.errorsPage)
  })
  app.get('/openapi.json', (_request, response) => {
    response.json(parts.openApi)
  })
  app.get('/.well-known/jwks.json', (_request, response) => {
    response.json(parts.jwks)
  })
  app.post('/token', form, unreadableForm, openTokenPage(parts.issueToken))
  app.get('/reconciliation', parts.reconciliation)
  app.get('/reports', parts.reports.list)
  app.get('/reports/:day', parts.reports.one)
  app.use((request, response) => {
    parts.onUnknownPath(request, response)
  })
  app.use((error: unknown, _request: Request, response: Response, next: NextFunction) => {
    // No page throws; Express does so for a path with a broken escape.
    if (error instanceof URIError && !response.headersSent) parts.onUnreadable(response)
    else next(error)
  })
  return app
}

/** Handles errors of the form parser; Express recognises it by its four parameters. */
function unreadableForm(
  _error: unknown,
  _request: Request,
  response: Response,
  _next: NextFunction,
): void {
  refuseToken(response, 'invalid_request')
}
