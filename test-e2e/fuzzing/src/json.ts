/** JSON values that are almost the example: members gone, exchanged, added, or with odd values. */
import fc from 'fast-check'

const nested = (depth: number, list: boolean): unknown =>
  Array.from({ length: depth }).reduce<unknown>((inner) => (list ? [inner] : { a: inner }), 'end')

const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -0, -1, 1.5, 1e308, 2 ** 53, '', ' ', '0', '-1'),
  fc.constantFrom<unknown>('\0', '\ud800', '\u{202e}', '💩', 'x'.repeat(10_000), [], {}, [[]]),
  fc.constantFrom<unknown>('1'.repeat(400), '0.00001', '1e5', '٣', '2027-02-30T25:61:61.000Z'),
  fc.constantFrom(nested(31, true), nested(40, true), nested(31, false), nested(2_000, true)),
  fc.constantFrom<unknown>(
    Array.from({ length: 2_000 }, () => ({})),
    { __proto__: null, constructor: 1, toString: 'x', length: -1 },
    JSON.parse('{"__proto__":{"polluted":true}}'),
  ),
  fc.jsonValue({ maxDepth: 3 }),
)

type Path = readonly string[]

function pathsIn(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const below = Object.entries(value).flatMap(([name, member]) => pathsIn(member, [...path, name]))
  return [path, ...below]
}

type Edit = (members: Record<string, unknown>, name: string) => void

/** A copy in which the member at the path was edited; the value itself where the path leads nowhere. */
function edited(value: unknown, [name, ...rest]: Path, edit: Edit): unknown {
  if (name === undefined || typeof value !== 'object' || value === null) return value
  const copy: Record<string, unknown> = { ...value }
  if (rest.length === 0) edit(copy, name)
  else copy[name] = edited(copy[name], rest, edit)
  return Array.isArray(value) ? Object.values(copy) : copy
}

const edit: fc.Arbitrary<Edit> = fc.oneof(
  odd.map((value): Edit => (members, name) => {
    members[name] = value
  }),
  fc.constant<Edit>((members, name) => {
    delete members[name]
  }),
  odd.map((value): Edit => (members, name) => {
    members[`${name}x`] = value
  }),
  fc.constant<Edit>((members, name) => {
    members[name.toUpperCase()] = members[name]
  }),
  fc.constant<Edit>((members, name) => {
    members[name] = [members[name], members[name]]
  }),
  fc.constant<Edit>((members, name) => {
    members[name] = JSON.stringify(members[name])
  }),
)

/** The example after one to three changes; now and then any JSON value. */
export function changedJson(example: unknown): fc.Arbitrary<unknown> {
  const path = fc.constantFrom(...pathsIn(example))
  const changed = fc
    .array(fc.tuple(path, edit), { minLength: 1, maxLength: 3 })
    .map((edits) => edits.reduce((value, [where, apply]) => edited(value, where, apply), example))
  return fc.oneof({ weight: 12, arbitrary: changed }, { weight: 1, arbitrary: odd })
}
