/** Bytes that are almost one of the examples: bits, lengths and ends changed, parts repeated and mixed. */
import fc from 'fast-check'

const place = fc.double({ min: 0, max: 1, noNaN: true })
const at = (bytes: Buffer, share: number) => Math.round(bytes.length * share)

type ByteMutation = (bytes: Buffer, other: Buffer) => Buffer

/** What a length, a tag or a count is made of. */
const pieces = [
  [0x00],
  [0xff],
  [0x7f],
  [0x80],
  [0x81, 0xff],
  [0x84, 0xff, 0xff, 0xff, 0xff],
  [0xff, 0xff, 0xff, 0xff],
  [0x7f, 0xff, 0xff, 0xff],
  [0x00, 0x00, 0x00, 0x00],
  [0x9b, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00],
  [0x5f],
  [0xbf],
  [0x30, 0x80],
].map((piece) => Buffer.from(piece))

const piece = fc.oneof(
  fc.constantFrom(...pieces),
  fc.uint8Array({ maxLength: 8 }).map((array) => Buffer.from(array)),
  fc
    .tuple(fc.nat({ max: 255 }), fc.integer({ min: 10, max: 5_000 }))
    .map(([byte, times]) => Buffer.alloc(times, byte)),
)

const change: fc.Arbitrary<ByteMutation> = fc.oneof(
  fc
    .tuple(place, fc.integer({ min: 1, max: 255 }))
    .map(([where, mask]): ByteMutation => (bytes) => {
      const changed = Buffer.from(bytes)
      const index = Math.min(at(bytes, where), bytes.length - 1)
      const byte = changed[index]
      if (byte !== undefined) changed[index] = byte ^ mask
      return changed
    }),
  fc.tuple(place, piece).map(
    ([where, added]): ByteMutation =>
      (bytes) =>
        Buffer.concat([
          bytes.subarray(0, at(bytes, where)),
          added,
          bytes.subarray(at(bytes, where)),
        ]),
  ),
  fc.tuple(place, piece).map(([where, put]): ByteMutation => (bytes) => {
    const start = at(bytes, where)
    return Buffer.concat([bytes.subarray(0, start), put, bytes.subarray(start + put.length)])
  }),
  place.map(
    (where): ByteMutation =>
      (bytes) =>
        bytes.subarray(0, at(bytes, where)),
  ),
  fc.tuple(place, place).map(([one, two]): ByteMutation => (bytes) => {
    const [from, to] = one < two ? [one, two] : [two, one]
    return Buffer.concat([bytes.subarray(0, at(bytes, to)), bytes.subarray(at(bytes, from))])
  }),
  fc.tuple(place, place).map(
    ([here, there]): ByteMutation =>
      (bytes, other) =>
        Buffer.concat([bytes.subarray(0, at(bytes, here)), other.subarray(at(other, there))]),
  ),
)

/** One of the examples after one to four changes; now and then any bytes. */
export function changedBytes(examples: readonly Buffer[]): fc.Arbitrary<Buffer> {
  const example = fc.constantFrom(...examples)
  const changed = fc
    .tuple(example, example, fc.array(change, { minLength: 1, maxLength: 4 }))
    .map(([bytes, other, changes]) => changes.reduce((now, apply) => apply(now, other), bytes))
  return fc.oneof(
    { weight: 12, arbitrary: changed },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)) },
  )
}
