/**
 * A bytea[] parameter in PostgreSQL's binary form, written in place: a batch costs one allocation, not
 * one for each of its elements.
 */

const byteaOid = 17
const header_bytes = 20

export interface ByteaColumn<Item> {
  readonly bytesOf: (item: Item) => number
  /** Writes exactly that many bytes and returns where they end. */
  readonly write: (item: Item, target: Buffer, at: number) => number
}

/** One element for each item; there is at least one. */
export function byteaColumn<Item>(
  items: readonly Item[],
  { bytesOf, write }: ByteaColumn<Item>,
): Buffer {
  let length = header_bytes + 4 * items.length
  for (const item of items) length += bytesOf(item)
  const array = Buffer.allocUnsafe(length)
  // One dimension, no null, its element type, its length, its lower bound.
  let end = array.writeInt32BE(1, 0)
  end = array.writeInt32BE(0, end)
  end = array.writeInt32BE(byteaOid, end)
  end = array.writeInt32BE(items.length, end)
  end = array.writeInt32BE(1, end)
  for (const item of items) {
    end = array.writeInt32BE(bytesOf(item), end)
    end = write(item, array, end)
  }
  return array
}
