/**
 * Arrays in PostgreSQL's binary form: nothing is quoted or escaped, so any text but U+0000 and any
 * bytes arrive unchanged, and a batch costs one copy.
 */

const textOid = 25
const byteaOid = 17
const header_bytes = 12
const dimension_bytes = 8
const null_length = -1

/** A text[] parameter: `unnest($1::text[])`; for other types cast again, `$1::text[]::numeric[]`. */
export function textArray(values: readonly (string | null)[]): Buffer {
  const array = allocate(
    textOid,
    values,
    values.reduce((sum, value) => sum + (value === null ? 0 : Buffer.byteLength(value)), 0),
  )
  let offset = header_bytes + dimension_bytes
  for (const value of values) {
    const length = value === null ? null_length : array.write(value, offset + 4)
    array.writeInt32BE(length, offset)
    offset += 4 + Math.max(length, 0)
  }
  return array
}

/** A bytea[] parameter: `unnest($1::bytea[])`. */
export function byteaArray(values: readonly (Buffer | null)[]): Buffer {
  const array = allocate(
    byteaOid,
    values,
    values.reduce((sum, value) => sum + (value?.length ?? 0), 0),
  )
  let offset = header_bytes + dimension_bytes
  for (const value of values) {
    const length = value === null ? null_length : value.copy(array, offset + 4)
    array.writeInt32BE(length, offset)
    offset += 4 + Math.max(length, 0)
  }
  return array
}

/** Header: dimensions, has-null flag, element type; then per dimension its length and lower bound. */
function allocate(oid: number, values: readonly unknown[], content_bytes: number): Buffer {
  const empty = values.length === 0
  const array = Buffer.allocUnsafe(
    header_bytes + (empty ? 0 : dimension_bytes + 4 * values.length + content_bytes),
  )
  array.writeInt32BE(empty ? 0 : 1, 0)
  array.writeInt32BE(values.includes(null) ? 1 : 0, 4)
  array.writeInt32BE(oid, 8)
  if (!empty) {
    array.writeInt32BE(values.length, 12)
    array.writeInt32BE(1, 16)
  }
  return array
}
