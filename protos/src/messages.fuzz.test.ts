/**
 * Messages of every contract from a grammar of the protocol's encoding: read as what is written again, or
 * refused with an error.
 */
import { changedBytes } from '@causeway/fuzzing'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import * as contracts from './index.ts'

interface Method {
  readonly path: string
  readonly requestSerialize: (value: object) => Buffer
  readonly requestDeserialize: (bytes: Buffer) => object
  readonly responseSerialize: (value: object) => Buffer
  readonly responseDeserialize: (bytes: Buffer) => object
}

const methods = Object.values(contracts)
  .flatMap((one): readonly unknown[] => (typeof one === 'object' ? Object.values(one) : []))
  .filter(
    (one): one is Method => typeof one === 'object' && one !== null && 'requestSerialize' in one,
  )

function varint(value: bigint): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return Buffer.from([...bytes, Number(rest)])
}

const numbers = fc
  .oneof(fc.nat({ max: 300 }).map(BigInt), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }))
  .map(varint)
const texts = fc
  .oneof(fc.constantFrom('', '__proto__', 'constructor', '1', 'é\0'), fc.string({ unit: 'binary' }))
  .map((text) => Buffer.from(text))
const raw = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((array) => Buffer.from(array))

const { message } = fc.letrec<{ message: Buffer; field: Buffer }>((tie) => ({
  field: fc
    .tuple(
      fc.integer({ min: 1, max: 20 }),
      fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.tuple(fc.constant(2), texts),
        fc.tuple(fc.constant(0), numbers),
        fc.tuple(fc.constant(1), raw(8)),
        fc.tuple(fc.constant(5), raw(4)),
        fc.tuple(
          fc.constant(2),
          fc.array(numbers, { maxLength: 5 }).map((all) => Buffer.concat(all)),
        ),
        fc.tuple(fc.constant(2), tie('message')),
      ),
    )
    .map(([number, [type, value]]) => {
      const length = type === 2 ? [varint(BigInt(value.length))] : []
      return Buffer.concat([varint(BigInt((number << 3) | type)), ...length, value])
    }),
  message: fc.array(tie('field'), { maxLength: 8 }).map((fields) => Buffer.concat(fields)),
}))

const bytes = fc.oneof(
  message,
  message.chain((one) => changedBytes([one])),
)

/** Undefined where it is refused. */
function read(from: (bytes: Buffer) => object, sent: Buffer): object | undefined {
  try {
    return from(sent)
  } catch (error) {
    expect(error).toBeInstanceOf(Error)
    return undefined
  }
}

test.each(methods.map((method) => [method.path, method] as const))(
  'Requests and responses of %s are read as what is written again, or refused',
  (_path, method) => {
    const ends = [
      [method.requestDeserialize, method.requestSerialize],
      [method.responseDeserialize, method.responseSerialize],
    ] as const
    fc.assert(
      fc.property(bytes, (sent) => {
        for (const [from, to] of ends) {
          const first = read(from, sent)
          if (first !== undefined) expect(from(to(first))).toEqual(first)
        }
      }),
      { numRuns: 50 },
    )
  },
)

test('Every contract is tried', () => {
  expect(methods.length).toBeGreaterThan(100)
})
