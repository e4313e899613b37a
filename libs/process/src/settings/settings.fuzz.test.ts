/** Settings that are almost valid: each value is within its bounds, or the start is refused. */
import { changedText } from '@causeway/fuzzing'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { readSettings, type SettingSource } from './read-settings.ts'
import { choice, integer, text } from './settings.ts'
import { StartError } from '../start-error.ts'

const definitions = {
  TRANSFERS_DATABASE_URL: text({ about: 'database of the transfers', default: '' }),
  TRANSFERS_KEY: text({ about: 'signs', default: 'initial', secret: true }),
  SWEEP_INTERVAL_MS: integer({
    about: 'between two sweeps',
    unit: 'ms',
    default: 1_000,
    min: 10,
    max: 60_000,
  }),
  DURABILITY: choice({ about: 'what lasts', options: ['fsync', 'none'], default: 'fsync' }),
}
const names = Object.keys(definitions)

const value = changedText(['1000', '60000', '-1', 'fsync', 'none', 'postgresql://127.0.0.1/x'])
const source: fc.Arbitrary<SettingSource> = fc.record({
  origin: fc.constantFrom('flag', 'file', 'environment'),
  values: fc.dictionary(
    // No file is read.
    fc
      .oneof(fc.constantFrom(...names), changedText(names))
      .filter((name) => !name.endsWith('_FILE')),
    value,
    { maxKeys: 3 },
  ),
})

test('Values of settings are within their bounds, or the start is refused', () => {
  fc.assert(
    fc.property(fc.array(source, { maxLength: 3 }), (sources) => {
      let read: ReturnType<typeof readSettings<typeof definitions>>
      try {
        read = readSettings(definitions, { sources, prefixes: ['TRANSFERS_'] })
      } catch (error) {
        expect(error).toBeInstanceOf(StartError)
        return
      }
      const { values } = read
      expect(Object.keys(values)).toEqual(names)
      expect(values.SWEEP_INTERVAL_MS).toBeGreaterThanOrEqual(10)
      expect(values.SWEEP_INTERVAL_MS).toBeLessThanOrEqual(60_000)
      expect(Number.isInteger(values.SWEEP_INTERVAL_MS)).toBe(true)
      expect(['fsync', 'none']).toContain(values.DURABILITY)
      expect(values.TRANSFERS_DATABASE_URL.length).toBeLessThanOrEqual(65_536)
    }),
    { numRuns: 1_000 },
  )
})

test('A fault quotes neither a secret nor a long value', () => {
  const secret = fc.stringMatching(/^s3cr3t[a-z]{4}$/).map((start) => start.repeat(10_000))
  fc.assert(
    fc.property(secret, value, (tooLong, other) => {
      const values = { TRANSFERS_KEY: tooLong, SWEEP_INTERVAL_MS: `x${other}` }
      const read = () =>
        readSettings(definitions, { sources: [{ origin: 'flag', values }], prefixes: [] })
      expect(read).toThrow(StartError)
      try {
        read()
      } catch (error) {
        const { message } = error as Error
        expect(message).not.toContain('s3cr3t')
        expect(message.length).toBeLessThan(1_000)
      }
    }),
  )
})
