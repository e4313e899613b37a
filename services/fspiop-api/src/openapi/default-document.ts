/** The OpenAPI document of the port for FSPs with all settings at their defaults: docs/fsp-api.openapi.json. */
import { readSettings } from '@causeway/process'
import { servedRoutes, type RouteParts } from '../routes.ts'
import { settings } from '../settings.ts'
import { openApiDocument } from './document.ts'

const notCalled = (): never => {
  throw new Error('a document reads no message')
}

const parts: RouteParts = {
  owners: { ownerOf: notCalled },
  providers: { of: notCalled },
  largeBodies: { begin: notCalled, isLarge: notCalled, digest: notCalled, stop: notCalled },
  arrivals: { announce: notCalled },
  participants: { getFresh: notCalled },
  relay_ms: notCalled,
  question_ms: notCalled,
}

export function defaultDocument(): ReturnType<typeof openApiDocument> {
  const { values } = readSettings(settings, { sources: [], prefixes: [] })
  return openApiDocument(servedRoutes(values, parts), values.COMPATIBILITY)
}
