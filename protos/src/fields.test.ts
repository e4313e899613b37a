import { expect, test } from '@jest/globals'
import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('../', import.meta.url)

interface Field {
  /** causeway.audit.v1.AuditEntry.actor */
  readonly name: string
  readonly type: string
  readonly isOptional: boolean
  /** The comment above it and the one behind it. */
  readonly comment: string
}

const scalar =
  /^(optional )?(string|bytes|bool|double|u?int(?:32|64)) (\w+) = \d+.*;\s*(?:\/\/(.*))?$/
const block = /^(message|enum|oneof|service|rpc) ?(\w*).*\{$/

/** The singular scalar fields of a contract; members of a `oneof` are optional by nature. */
function fieldsOf(file: string): readonly Field[] {
  const text = readFileSync(new URL(file, folder), 'utf8')
  const [, packageName = ''] = /^package ([\w.]+);$/m.exec(text) ?? []
  const fields: Field[] = []
  const blocks: string[] = []
  let comment = ''
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line.startsWith('//')) {
      comment += ` ${line}`
      continue
    }
    const [, kind, name = ''] = block.exec(line) ?? []
    if (kind !== undefined) blocks.push(kind === 'message' ? name : '')
    if (line === '}') blocks.pop()
    const [, optional, type, field = '', behind = ''] = scalar.exec(line) ?? []
    if (type !== undefined && !blocks.includes('')) {
      fields.push({
        name: [packageName, ...blocks, field].join('.'),
        type,
        isOptional: optional !== undefined,
        comment: `${comment} ${behind}`,
      })
    }
    comment = ''
  }
  return fields
}

const contracts = [
  ...readdirSync(folder).filter((file) => file.endsWith('.proto')),
  ...readdirSync(new URL('messages/', folder)).map((file) => `messages/${file}`),
]
const fields = contracts.flatMap(fieldsOf)

test('Every scalar field of the contracts is looked at', () => {
  expect(fields.length).toBeGreaterThan(400)
})

test('A field that may have no value is optional, and means it by being absent', () => {
  const meansNoValue = /\bempty\b|''|(?:^|[ ;,])0(?::| when| while| where| if| unless)/i
  const withEmptyValues = fields.filter(
    ({ isOptional, comment }) => !isOptional && meansNoValue.test(comment),
  )
  expect(withEmptyValues.map(({ name }) => name)).toEqual([])
})

test('A closed set is an enum', () => {
  const words = /(?:^|\.|_)(?:state|status|reason|outcome|kind|settles)$/
  const texts = fields.filter(({ name, type }) => type === 'string' && words.test(name))
  expect(texts.map(({ name }) => name)).toEqual([])
})
