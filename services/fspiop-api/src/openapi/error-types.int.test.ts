import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { openWorld, send, summary, type EdgeWorld } from '../testing/world.ts'

interface Response {
  readonly content: object
}

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<string, { readonly responses: Readonly<Record<string, { readonly $ref?: string }>> }>
      >
    >
  >
  readonly components: { readonly responses: Readonly<Record<string, Response>> }
}

const values: Readonly<Record<string, string>> = {
  '{Type}': 'MSISDN',
  '{SubId}': 'home',
  '{ServiceType}': 'AUTH_SERVICE',
}
const id = '7d7ff5c4-8b1c-4b0f-9c7f-2f0de1f0b8a1'

describe.each(['specification', 'mojaloop'] as const)('With COMPATIBILITY=%s', (mode) => {
  let world: EdgeWorld
  beforeAll(async () => {
    world = await openWorld({ COMPATIBILITY: mode })
  })
  afterAll(() => world.stop())

  /** The refusal of a message whose headers are valid in this version, from an FSP that is closed. */
  async function refusedType(method: string, template: string, version: string): Promise<string> {
    const path = template
      .replaceAll(/\{(?:Type|SubId|ServiceType)\}/g, (name) => values[name] ?? '')
      .replace('{ID}', template.includes('{Type}') ? '123456789' : id)
    const resource = template.split('/')[1] ?? ''
    const type = `application/vnd.interoperability.${resource}+json;version=${version}`
    const answer = await send(world.edge.url, {
      method,
      path,
      headers: {
        'content-type': type,
        ...(method === 'PUT' || method === 'PATCH' ? {} : { accept: type }),
        date: new Date().toUTCString(),
        'fspiop-source': 'leaver',
        'fspiop-destination': 'greenbank',
      },
    })
    if (summary(answer) === '406 3001') return ''
    expect([method, template, summary(answer)]).toEqual([method, template, '403 3100'])
    return answer.headers['content-type'] ?? ''
  }

  test('Errors of each operation have exactly the media types that the OpenAPI document names', async () => {
    const { text } = await send(world.edge.url, {
      method: 'GET',
      path: '/openapi.json',
      headers: {},
    })
    const { paths, components } = JSON.parse(text) as Document
    let operations = 0
    for (const [template, methods] of Object.entries(paths)) {
      for (const [method, { responses }] of Object.entries(methods)) {
        operations += 1
        const answered = new Set<string>()
        for (const version of ['1.0', '1.1']) {
          answered.add(await refusedType(method.toUpperCase(), template, version))
        }
        answered.delete('')
        const errors = Object.entries(responses).filter(([status]) => status >= '400')
        expect(errors.length).toBeGreaterThan(0)
        for (const [, { $ref = '' }] of errors) {
          const { content } = components.responses[$ref.split('/').at(-1) ?? ''] as Response
          expect([method, template, Object.keys(content)]).toEqual([
            method,
            template,
            [...answered],
          ])
        }
      }
    }
    expect(operations).toBeGreaterThan(70)
  })
})
