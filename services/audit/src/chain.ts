/**
 * The chain: each entry is hashed together with the hash of the previous one, so that changing,
 * removing or inserting an entry invalidates every hash that follows.
 */
import { createHash } from 'node:crypto'
import { canonicalJson } from '@causeway/events'

export interface Link {
  readonly n: bigint
  readonly hash: Buffer
}

/** The start of the chain, before its first entry. */
export const origin: Link = { n: 0n, hash: Buffer.alloc(32) }

export interface ChainedContent<Content> extends Link {
  readonly content: Content
  /** The text that is hashed. */
  readonly body: string
  readonly previousHash: Buffer
}

/** The contents, in their order, as links that follow `last`. */
export function chained<Content extends object>(
  last: Link,
  contents: readonly Content[],
  recordedAt: Date,
): readonly ChainedContent<Content>[] {
  let previous = last
  return contents.map((content) => {
    const n = previous.n + 1n
    const body = canonicalJson({ n: String(n), recordedAt: recordedAt.toISOString(), ...content })
    const hash = hashOf(previous.hash, body)
    const link = { n, hash, content, body, previousHash: previous.hash }
    previous = link
    return link
  })
}

export function hashOf(previousHash: Buffer, body: string): Buffer {
  return createHash('sha256').update(previousHash).update(body).digest()
}

export interface StoredLink extends Link {
  readonly body: string
  readonly previousHash: Buffer
  readonly signatureValid: boolean
}

/** The faults of the links that follow `last`, one sentence each. */
export function faultsOf(last: Link, links: readonly StoredLink[]): readonly string[] {
  let previous = last
  return links.flatMap((link) => {
    const faults = faultsOfLink(previous, link)
    previous = link
    return faults
  })
}

function faultsOfLink(previous: Link, link: StoredLink): readonly string[] {
  const { n, hash, body, previousHash, signatureValid } = link
  const checks: readonly (readonly [boolean, string])[] = [
    [n === previous.n + 1n, `entry ${n} follows entry ${previous.n}: something is missing`],
    [previousHash.equals(previous.hash), `entry ${n} does not name the hash of the entry before`],
    [hashOf(previousHash, body).equals(hash), `entry ${n} is not what was hashed`],
    [signatureValid, `entry ${n} is not what was signed`],
  ]
  return checks.filter(([holds]) => !holds).map(([, sentence]) => sentence)
}
