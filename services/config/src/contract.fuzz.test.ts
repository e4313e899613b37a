/**
 * Schemas and values of components that are almost valid: a schema is refused, or its defaults and every
 * other value can be judged by it.
 */
import { changedJson, changedText } from '@causeway/fuzzing'
import { parameterTypeValues } from '@causeway/protos'
import { isRefused } from '@causeway/services'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { readSchema, schemaFault, valuesContent } from './contract.ts'
import type { Value } from './domain/configuration.ts'

const jsonSchema = {
  type: 'object',
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 10 },
    names: { type: 'array', items: { type: 'string', maxLength: 5 }, maxItems: 3 },
    mode: { enum: ['A', 'B'] },
    either: { anyOf: [{ type: 'null' }, { type: 'number', multipleOf: 0.5 }] },
  },
  required: ['limit'],
  additionalProperties: false,
}
const value = { limit: 3, names: ['a'], mode: 'A', either: 1.5 }
const context = { boundedContextId: 'quoting', schemaVersion: '1.0.0', iterationNumber: 0 }

const written = (json: unknown) =>
  fc.oneof(
    changedJson(json).map((changed) => JSON.stringify(changed)),
    changedText([JSON.stringify(json)]),
  )

test('A changed schema is refused with a reason, or judges each value', () => {
  const parameter = fc.record({
    name: fc.oneof(fc.constant('bounds'), changedText(['bounds'])),
    type: fc.constantFrom(...parameterTypeValues),
    description: fc.constant('bounds'),
    defaultJson: fc.oneof(fc.constant(JSON.stringify(value)), written(value)),
    jsonSchema: fc.oneof(fc.constant(JSON.stringify(jsonSchema)), written(jsonSchema)),
    currentJson: fc.constant(''),
    isSet: fc.constant(false),
  })
  fc.assert(
    fc.property(parameter, changedJson(value), (sent, other) => {
      const read = readSchema({ ...context, parameters: [sent], featureFlags: [] })
      if (isRefused(read)) {
        expect(read.reason).toBe('INVALID')
        return
      }
      const [known] = read.definition.parameters
      if (known === undefined) throw new Error('the parameter is lost')
      expect(known.name).toMatch(/^[A-Za-z][\w.-]{0,63}$/)
      if (known.jsonSchema === '') return
      expect(schemaFault(known, known.defaultValue)).toBeUndefined()
      expect(typeof (schemaFault(known, other as Value) ?? '')).toBe('string')
    }),
    { numRuns: 1_000 },
  )
})

test('A changed request for values is refused, or has values of a bounded length', () => {
  const newValues = [{ name: 'bounds', value }]
  const change = {
    boundedContextId: 'quoting',
    schemaVersion: '1.0.0',
    iterationNumber: 0,
    newValues,
  }
  fc.assert(
    fc.property(changedJson(change), (sent) => {
      const read = valuesContent.safeParse(sent)
      if (!read.success) {
        expect(read.error.issues).not.toEqual([])
        return
      }
      expect(read.data).toEqual(sent)
      for (const { name, value: known } of read.data.newValues) {
        expect(typeof name).toBe('string')
        expect(JSON.stringify(known).length).toBeLessThanOrEqual(65_536)
      }
    }),
    { numRuns: 500 },
  )
})
