import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { operations } from '../routes.ts'
import type { Deps } from '../upstream.ts'
import { openWorld, type AdminWorld } from '../testing/world.ts'

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

interface Described {
  readonly operationId: string
  readonly summary: string
  readonly responses: Readonly<Record<string, { readonly content?: object }>>
}

let admin: AdminWorld
let text: string
let document: Document

/** Without services: the document is generated from the route tables alone. */
beforeAll(async () => {
  admin = await openWorld([])
  const answer = await admin.call('GET', '/openapi.json')
  text = answer.text
  document = answer.json as Document
})

afterAll(() => admin.stop())

function described(): readonly (readonly [string, string, Described])[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [method, path, operation] as const),
  )
}

describe('the document', () => {
  test('The document has every path of the API, with exactly its methods', async () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      const answer = await admin.call('PATCH', path.replaceAll(/\{\w+\}/g, '7'))
      expect([path, answer.status]).toEqual([path, 405])
      const allowed = answer.headers.get('allow')?.split(', ') ?? []
      const documented = Object.keys(methods).map((method) => method.toUpperCase())
      expect([path, documented.toSorted()]).toEqual([path, allowed.toSorted()])
    }
  })

  test('The document has every row of the route tables', () => {
    const settings = { COMPATIBILITY: 'specification' }
    const rows = operations({ settings } as Deps).map(
      ({ method, path }) => `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
    )
    expect(rows.length).toBeGreaterThan(50)
    expect(
      described()
        .map(([method, path]) => `${method} ${path}`)
        .toSorted(),
    ).toEqual(rows.toSorted())
  })

  test('The document has the purpose and the answers of each operation', () => {
    for (const [method, path, operation] of described()) {
      const what = `${method} ${path}`
      expect([what, operation.summary]).toEqual([what, expect.stringMatching(/^.{8,}$/)])
      const good = Object.keys(operation.responses).filter((status) => /^2|501/.test(status))
      expect([what, good.length]).not.toEqual([what, 0])
    }
  })

  test('The document has each operation once, and only schemas that exist', () => {
    const ids = described().map(([, , { operationId }]) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    const named = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name]) => name ?? '',
    )
    expect(named.length).toBeGreaterThan(50)
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(named))
    expect(text).not.toContain('#/$defs')
  })

  test('The document shows the schema that a request is read with', () => {
    expect(text).toContain('"NET_DEBIT_CAP"')
    expect(document.paths['/participants']).toMatchObject({
      post: {
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['name'],
                additionalProperties: false,
                properties: {
                  name: { type: 'string', minLength: 2, maxLength: 30 },
                  currency: { type: 'string', pattern: '^[A-Z]{3}$' },
                  type: { type: 'string', enum: ['DFSP', 'PISP'] },
                },
              },
            },
          },
        },
      },
    })
  })
})

describe('the page', () => {
  test.each(['/docs', '/docs/'])(
    'The page %s and all its files come from the hub itself',
    async (path) => {
      const { status, headers, text: page } = await admin.call('GET', path)
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
      expect(page).not.toMatch(/https?:\/\//)
      const parts = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part]) => part ?? '')
      expect(parts).toHaveLength(4)
      for (const part of parts) {
        const { pathname } = new URL(part, `http://hub.example${path}`)
        expect((await admin.call('GET', pathname)).status).toBe(200)
      }
    },
  )

  test('The documentation page has no other files', async () => {
    const answer = await admin.call('GET', '/docs/package.json')
    expect(answer.status).toBe(404)
  })

  test('The documentation page is refused for an Accept without HTML', async () => {
    const accept = { accept: 'image/png' }
    expect((await admin.call('GET', '/docs', undefined, accept)).status).toBe(406)
  })
})
