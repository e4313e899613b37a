/** Texts that are almost one of the examples: cut, repeated, mixed, and with what parsers stumble over. */
import fc from 'fast-check'

/** Where to change a text, as a share of its length, so that a smaller text keeps the change. */
const place = fc.double({ min: 0, max: 1, noNaN: true })

/** What parsers stumble over, of every kind: white space, escapes, separators, brackets, numbers, names. */
const fragments: readonly string[] = [
  ['', ' ', '\t', '\r\n', '\n', '\0', '\u{7f}', '\u{a0}', '\u{200b}', '\u{feff}', '\u{212a}'],
  ['"', "'", '\\', '\\"', '\\u0000', '\\ud800', '\ud800', '\udfff', '\u{1f4a9}', 'é', 'İ'],
  [',', ';', ':', '=', '&', '?', '#', '/', '//', '..', '%', '%00', '%2F', '%zz', '%C0%AF', '+'],
  ['{', '}', '[', ']', '(', ')', '<', '>', '|', '*', '@', '$', '^', '~', '`', '-', '--', '_'],
  ['0', '-0', '-1', '00', '1e309', '1e-7', '0x10', '2147483648', '9007199254740993', 'NaN'],
  ['true', 'null', '[]', '{}', '__proto__', 'constructor', 'toString', 'hasOwnProperty'],
].flat()

const long = fc
  .tuple(fc.constantFrom('a', '"', '[', '{"a":', ' ', '%41', '=', '9', '\\', 'é', ',', '.'))
  .chain(([unit]) => fc.integer({ min: 10, max: 20_000 }).map((times) => unit.repeat(times)))

const inserted = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...fragments) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  { weight: 1, arbitrary: long },
)

type TextMutation = (text: string, other: string) => string

const at = (text: string, share: number) => Math.round(text.length * share)

const change: fc.Arbitrary<TextMutation> = fc.oneof(
  fc.tuple(place, inserted).map(
    ([where, piece]): TextMutation =>
      (text) =>
        text.slice(0, at(text, where)) + piece + text.slice(at(text, where)),
  ),
  fc.tuple(place, fc.integer({ min: 1, max: 8 }), inserted).map(
    ([where, count, piece]): TextMutation =>
      (text) =>
        text.slice(0, at(text, where)) + piece + text.slice(at(text, where) + count),
  ),
  fc.tuple(place, place).map(([one, two]): TextMutation => (text) => {
    const [from, to] = one < two ? [one, two] : [two, one]
    return text.slice(0, at(text, from)) + text.slice(at(text, to))
  }),
  fc
    .tuple(place, place, fc.integer({ min: 2, max: 40 }))
    .map(([one, two, times]): TextMutation => (text) => {
      const [from, to] = one < two ? [one, two] : [two, one]
      const part = text.slice(at(text, from), at(text, to))
      return text.slice(0, at(text, to)) + part.repeat(times - 1) + text.slice(at(text, to))
    }),
  fc.tuple(place, place).map(
    ([here, there]): TextMutation =>
      (text, other) =>
        text.slice(0, at(text, here)) + other.slice(at(other, there)),
  ),
  fc.constant<TextMutation>((text) => text.toUpperCase()),
  fc.constant<TextMutation>((text) => text.toLowerCase()),
)

/** One of the examples after one to four changes; now and then any text. */
export function changedText(examples: readonly string[]): fc.Arbitrary<string> {
  const example = fc.constantFrom(...examples)
  const changed = fc
    .tuple(example, example, fc.array(change, { minLength: 1, maxLength: 4 }))
    .map(([text, other, changes]) => changes.reduce((now, apply) => apply(now, other), text))
  return fc.oneof(
    { weight: 12, arbitrary: changed },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
  )
}
