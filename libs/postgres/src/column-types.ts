/**
 * The TypeScript values of columns: none loses a digit or a time zone. int8, numeric, date and timestamp
 * are text, and so are the members of their arrays.
 */
import pg from 'pg'

const { builtins } = pg.types
const asText: ReadonlySet<number> = new Set([
  builtins.INT8,
  builtins.NUMERIC,
  builtins.DATE,
  builtins.TIMESTAMP,
])
/** int8[], timestamp[], date[], numeric[] */
const arraysAsText: ReadonlySet<number> = new Set([1016, 1115, 1182, 1231])
const textArray = 1009

/** The client's own parsers, also for types that its list of names omits. */
const parsers = pg.types as {
  getTypeParser(oid: number, format: 'text'): (text: string) => unknown
}

/** How a value of the type is read from PostgreSQL's text. */
export function parserOf(oid: number): (text: string) => unknown {
  if (asText.has(oid)) return (text) => text
  return parsers.getTypeParser(arraysAsText.has(oid) ? textArray : oid, 'text')
}
