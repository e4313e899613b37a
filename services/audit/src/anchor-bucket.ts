/**
 * Anchors as objects of an S3-compatible bucket with Object Lock: until the end of its retention nobody
 * can change or remove one, and what a delete marker hides is still listed. The name of an object
 * contains the whole anchor, so that a list is enough to read 1,000 of them; the newest come first.
 */
import { createHash } from 'node:crypto'
import { AwsClient } from 'aws4fetch'
import {
  anchorLine,
  readAnchor,
  UnreadableAnchors,
  type Anchor,
  type AnchorLine,
  type AnchorStore,
} from './anchor.ts'

export interface BucketOptions {
  /** With the bucket and a prefix in its path: `https://s3.example/bucket/prefix`. */
  readonly url: URL
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly retention_ms: number
}

const timeout_ms = 10_000
/** Above every number of an entry. */
const numbers_end = 10n ** 18n

export function openAnchorBucket(options: BucketOptions): AnchorStore {
  const { url, retention_ms } = options
  const [, bucket = '', ...folders] = url.pathname.replace(/\/$/, '').split('/')
  const prefix = [...folders, 'anchor-'].join('/')
  const client = new AwsClient({ ...options, service: 's3', retries: 0 })

  /** Path-style addresses, which every S3-compatible store has. */
  async function ask(path: string, init: RequestInit): Promise<string> {
    const signal = AbortSignal.timeout(timeout_ms)
    const response = await client.fetch(`${url.origin}/${bucket}${path}`, { ...init, signal })
    const text = await response.text()
    if (!response.ok)
      throw new Error(`the bucket answered ${response.status}: ${text.slice(0, 500)}`)
    return text
  }

  async function* lines(): AsyncIterable<AnchorLine> {
    let place: Readonly<Record<string, string>> | undefined = {}
    while (place !== undefined) {
      const query = new URLSearchParams({ versions: '', prefix, ...place })
      const page = await ask(`?${query.toString()}`, { method: 'GET' })
      for (const key of keysIn(page)) yield lineOf(key)
      place = nextPlaceIn(page)
    }
  }

  return {
    name: 'bucket',
    async *lines() {
      try {
        yield* lines()
      } catch (error) {
        throw new UnreadableAnchors(error)
      }
    },
    async last() {
      for await (const newest of lines()) return newest
      return undefined
    },
    async append(anchor) {
      const body = `${anchorLine(anchor)}\n`
      const until = new Date(anchor.signedAt.getTime() + retention_ms)
      await ask(`/${prefix}${nameOf(anchor)}`, {
        method: 'PUT',
        body,
        headers: {
          'content-type': 'application/json',
          // A lock requires a checksum.
          'content-md5': createHash('md5').update(body).digest('base64'),
          'x-amz-object-lock-mode': 'COMPLIANCE',
          'x-amz-object-lock-retain-until-date': until.toISOString(),
        },
      })
    },
  }
}

/** Names are listed in their order, so that of the highest number is the first. */
function nameOf(anchor: Anchor): string {
  const place = String(numbers_end - anchor.n).padStart(19, '0')
  return `${place}-${Buffer.from(anchorLine(anchor)).toString('base64url')}`
}

function lineOf(key: string): AnchorLine {
  const name = key.slice(key.lastIndexOf('/') + 1)
  const [, encoded = ''] = /^anchor-\d{19}-([\w-]+)$/.exec(name) ?? []
  return { name: `object ${key}`, anchor: readAnchor(Buffer.from(encoded, 'base64url').toString()) }
}

/** Of versions, not of delete markers; names of anchors need no XML escapes. */
function keysIn(page: string): readonly string[] {
  const versions = page.matchAll(/<Version>(.*?)<\/Version>/gs)
  const keys = [...versions].map(([, version = '']) => textIn(version, 'Key'))
  return [...new Set(keys.filter((key) => key !== undefined))]
}

function nextPlaceIn(page: string): Readonly<Record<string, string>> | undefined {
  const key = textIn(page, 'NextKeyMarker')
  if (textIn(page, 'IsTruncated') !== 'true' || key === undefined) return undefined
  const version = textIn(page, 'NextVersionIdMarker')
  return { 'key-marker': key, ...(version === undefined ? {} : { 'version-id-marker': version }) }
}

function textIn(xml: string, element: string): string | undefined {
  const from = xml.indexOf(`<${element}>`)
  const to = xml.indexOf(`</${element}>`, from)
  return from < 0 || to < 0 ? undefined : xml.slice(from + element.length + 2, to)
}
