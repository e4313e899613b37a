/** GET /openapi.json, and /docs: a page to browse it, with all its files from the hub. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { answered, file, type OperationResult } from '../answer.ts'
import type { GuardedOperation } from '../access/privileges.ts'
import type { Json } from '../json.ts'
import { reads, type Operation } from '../operation.ts'
import type { Deps } from '../upstream.ts'
import { openApiDocument } from './document.ts'

const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

const assetTypes: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
  'favicon-32x32.png': 'image/png',
}

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Causeway operator API</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="page"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/open.js"></script>
</body>
</html>
`

const opening = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#page', deepLinking: true, docExpansion: 'none' })
`

/** `all` are the operations that the document describes, these among them. */
export function documentOperations(
  { settings }: Deps,
  all: () => readonly GuardedOperation[],
): readonly Operation[] {
  let made: Json | undefined
  const document = (): Json =>
    (made ??= openApiDocument(all(), {
      compatibility: settings.COMPATIBILITY,
      tokens: settings.OPERATOR_IDENTITY === 'token',
    }))
  return [
    reads(
      '/openapi.json',
      {
        about: 'This document',
        answers: { 200: z.looseObject({ openapi: z.literal('3.1.0'), paths: z.looseObject({}) }) },
      },
      () => Promise.resolve(answered(200, document())),
    ),
    reads(
      '/docs',
      { about: 'A page to browse this document', answers: { 200: null }, files: ['text/html'] },
      () => Promise.resolve(file('text/html', [page])),
    ),
    reads(
      '/docs/:asset',
      {
        about: 'The files of the page',
        answers: { 200: null },
        files: ['text/css', 'text/javascript', 'image/png'],
        refuses: ['URI_UNKNOWN'],
      },
      ({ asset }) => readAsset(asset),
    ),
  ]
}

async function readAsset(name: string): Promise<OperationResult> {
  if (name === 'open.js') return file('text/javascript', [opening])
  const type = Object.hasOwn(assetTypes, name) ? assetTypes[name] : undefined
  if (type === undefined) return { outcome: 'refused', reason: 'URI_UNKNOWN', detail: name }
  return file(type, [await readFile(join(folder, name))])
}
