/**
 * The OpenAPI document of the operator port with all settings at their defaults, which the types of the
 * console and the documentation site are made of.
 */
import { readSettings } from '@causeway/process'
import { operations } from '../routes.ts'
import { settings as definitions } from '../settings.ts'
import type { Deps } from '../upstream.ts'
import { openApiDocument } from './document.ts'

export function defaultDocument() {
  const { values: settings } = readSettings(definitions, { sources: [], prefixes: [] })
  // No operation is called, so that no other service is needed.
  return openApiDocument(operations({ settings } as Deps), {
    compatibility: settings.COMPATIBILITY,
    tokens: settings.OPERATOR_IDENTITY === 'token',
  })
}
