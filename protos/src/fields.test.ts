import { expect, test } from '@jest/globals'
import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('../', import.meta.url)

interface Field {
  /** causeway.audit.v1.AuditEntry.actor */
  readonly name: string
  readonly isOptional: boolean
  /** The comment above it and the one behind it. */
  readonly comment: string
}

const scalar =
  /^(optional )?(?:string|bytes|bool|double|u?int(?:32|64)) (\w+) = \d+.*;\s*(?:\/\/(.*))?$/
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
    const [whole, optional, field = '', behind = ''] = scalar.exec(line) ?? []
    if (whole !== undefined && !blocks.includes('')) {
      fields.push({
        name: [packageName, ...blocks, field].join('.'),
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

test('A field that may have no value is optional, except for those that are older than this rule', () => {
  const meansNoValue = /\bempty\b|''|(?:^|[ ;,])0(?::| when| while| where| if| unless)/i
  const fields = contracts.flatMap(fieldsOf)
  expect(fields.length).toBeGreaterThan(500)
  const withEmptyValues = fields
    .filter(({ isOptional, comment }) => !isOptional && meansNoValue.test(comment))
    .map(({ name }) => name)
  const older = readFileSync(new URL('fields-with-empty-values.txt', folder), 'utf8')
  // A new field gets `optional`. A field of the list that becomes optional is removed from it.
  expect(withEmptyValues.toSorted()).toEqual(older.trimEnd().split('\n'))
})
