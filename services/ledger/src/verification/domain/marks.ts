/**
 * Checksums: two sets of journal lines are taken as equal when they have the same number of lines
 * and the same exclusive or of their hashes. So expected lines are compared with written lines
 * without looking up each one. The seed is random in each run, so lines cannot be constructed to
 * match.
 */

/**
 * Lines are distributed over so many buckets by their entry; a difference is then located within
 * its bucket.
 */
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
