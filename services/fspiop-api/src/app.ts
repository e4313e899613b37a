/** The pages beside the API: health and the errors page. */
import express, { type Express } from 'express'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HealthPage } from './health.ts'

export interface AppParts {
  readonly health: HealthPage
  readonly errorsPage: string
  readonly onUnknownPath: (request: IncomingMessage, response: ServerResponse) => void
}

export function createApp({ health, errorsPage, onUnknownPath }: AppParts): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.get('/health', async (_request, response) => {
    const page = await health()
    response.status(page.status === 'OK' ? 200 : 503).json(page)
  })
  app.get('/errors', (_request, response) => {
    response.type('html').send(errorsPage)
  })
  app.use((request, response) => {
    onUnknownPath(request, response)
  })
  return app
}
