/**
 * Marks: two sets of journal lines are the same when they have as many lines and the same exclusive or
 * of their hashes. So what the entries should have written is compared with what is written without
 * looking up one in the other. The seed is random in each run: no lines can be made to fit it.
 */

/** Lines are spread over so many buckets by their entry; a difference is then sought in its own alone. */
export const buckets_count = 256

export interface Mark {
  readonly bucket: number
  readonly lines: bigint
  readonly hash: bigint
}

export type Marks = Map<number, Mark>

/** Adds the marks of a slice. */
export function addMarks(marks: Marks, more: readonly Mark[]): void {
  for (const { bucket, lines, hash } of more) {
    const before = marks.get(bucket)
    marks.set(bucket, {
      bucket,
      lines: (before?.lines ?? 0n) + lines,
      hash: (before?.hash ?? 0n) ^ hash,
    })
  }
}

/** The buckets whose lines are not the same. */
export function differentBuckets(
  one: ReadonlyMap<number, Mark>,
  other: ReadonlyMap<number, Mark>,
): readonly number[] {
  return Array.from({ length: buckets_count }, (_, bucket) => bucket).filter((bucket) => {
    const [a, b] = [one.get(bucket), other.get(bucket)]
    return (a?.lines ?? 0n) !== (b?.lines ?? 0n) || (a?.hash ?? 0n) !== (b?.hash ?? 0n)
  })
}
