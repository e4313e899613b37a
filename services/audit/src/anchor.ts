/**
 * An anchor names an entry by number and hash, with the time, and is signed. One that is stored where
 * the owner of the database cannot write shows whether the log was changed or cut off before it. The
 * head of the log is signed in the same way.
 */
import { jsonOf } from '@causeway/process'
import { z } from 'zod'
import type { Link } from './chain.ts'
import type { IsSigned, Signer } from './signing.ts'

export interface Anchor extends Link {
  readonly signedAt: Date
  readonly kid: string
  readonly signature: Buffer
}

/** What a store holds in the place of an anchor; undefined when it is none. */
export interface AnchorLine {
  /** For a sentence about it. */
  readonly name: string
  readonly anchor: Anchor | undefined
}

/** Where anchors are, beyond the reach of the owner of the database. */
export interface AnchorStore {
  /** For sentences, logs and metrics. */
  readonly name: string
  /** Every anchor; rejects with `UnreadableAnchors`. */
  lines(): AsyncIterable<AnchorLine>
  /** The newest one; undefined while there is none. */
  last(): Promise<AnchorLine | undefined>
  /** Resolves when the anchor is durable. */
  append(anchor: Anchor): Promise<void>
}

export class UnreadableAnchors extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

export function anchorOf({ n, hash }: Link, signer: Signer, signedAt: Date): Anchor {
  const signature = signer.sign(signedText({ n, hash, signedAt }))
  return { n, hash, signedAt, kid: signer.kid, signature }
}

/** An entry's signature is over 32 bytes, so that none of them is one of an anchor. */
function signedText({ n, hash, signedAt }: Omit<Anchor, 'kid' | 'signature'>): Buffer {
  const facts = [String(n), hash.toString('hex'), signedAt.toISOString()]
  return Buffer.from(`causeway audit anchor\n${facts.join('\n')}`)
}

export function isAnchorSigned(anchor: Anchor, isSigned: IsSigned): boolean {
  return isSigned(anchor.kid, signedText(anchor), anchor.signature)
}

const line = z.strictObject({
  number: z.string().regex(/^\d{1,18}$/),
  hash: z.string().regex(/^[\da-f]{64}$/),
  signedDate: z.iso.datetime({ precision: 3 }),
  keyId: z.string(),
  signature: z.base64url(),
})

/** One line of JSON, without its line feed. */
export function anchorLine({ n, hash, signedAt, kid, signature }: Anchor): string {
  return JSON.stringify({
    number: String(n),
    hash: hash.toString('hex'),
    signedDate: signedAt.toISOString(),
    keyId: kid,
    signature: signature.toString('base64url'),
  } satisfies z.infer<typeof line>)
}

/** Undefined when the line is not an anchor; the signature is not checked. */
export function readAnchor(text: string): Anchor | undefined {
  const { success, data } = line.safeParse(jsonOf(text))
  if (!success) return undefined
  return {
    n: BigInt(data.number),
    hash: Buffer.from(data.hash, 'hex'),
    signedAt: new Date(data.signedDate),
    kid: data.keyId,
    signature: Buffer.from(data.signature, 'base64url'),
  }
}
