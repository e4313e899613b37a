import { createHash } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { UnreadableAnchors, type Anchor, type AnchorStore } from './anchor.ts'
import { openAnchorBucket } from './anchor-bucket.ts'
import { bucketKey, startBucketServer, type BucketServer } from './testing/bucket-server.ts'

let server: BucketServer
let bucket: AnchorStore

const bucketWith = (secretAccessKey: string) =>
  openAnchorBucket({
    url: new URL(server.url),
    region: 'us-east-1',
    accessKeyId: bucketKey.accessKeyId,
    secretAccessKey,
    retention_ms: 86_400_000,
  })

beforeEach(async () => {
  server = await startBucketServer()
  bucket = bucketWith(bucketKey.secretAccessKey)
})

afterEach(() => server.stop())

const anchor = (n: number): Anchor => ({
  n: BigInt(n),
  hash: createHash('sha256').update(String(n)).digest(),
  signedAt: new Date('2030-01-02T03:04:05.006Z'),
  kid: 'k-1',
  signature: Buffer.alloc(64, n),
})

async function numbers(): Promise<readonly string[]> {
  const all: string[] = []
  for await (const line of bucket.lines()) all.push(String(line.anchor?.n))
  return all
}

test('Anchors are stored under a lock and read from a list of any number of pages, newest first', async () => {
  expect(await bucket.last()).toBeUndefined()
  for (const n of [9, 10, 11, 100, 2]) await bucket.append(anchor(n))
  expect(await numbers()).toEqual(['100', '11', '10', '9', '2'])
  expect((await bucket.last())?.anchor).toEqual(anchor(100))
  expect(new Set(server.versions.map(({ retainUntil }) => retainUntil))).toEqual(
    new Set(['2030-01-03T03:04:05.006Z']),
  )
})

test('An anchor that a delete marker hides is still read', async () => {
  for (const n of [1, 2, 3]) await bucket.append(anchor(n))
  server.hideAll()
  expect(await numbers()).toEqual(['3', '2', '1'])
})

test('An object that is no anchor is read as a line without one', async () => {
  server.put('hub/anchor-forged')
  expect(await bucket.last()).toEqual({ name: 'object hub/anchor-forged', anchor: undefined })
})

test('A bucket that refuses the key cannot be read', async () => {
  bucket = bucketWith('another secret')
  await expect(numbers()).rejects.toThrow(UnreadableAnchors)
  await expect(bucket.append(anchor(1))).rejects.toThrow('the bucket answered 403')
})
