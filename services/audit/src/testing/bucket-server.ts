/**
 * A small S3 server with one bucket under Object Lock: it verifies signatures, refuses objects without a
 * lock and a checksum, retains every version, and lists versions in pages of two.
 */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { AwsV4Signer } from 'aws4fetch'

export const bucketKey = { accessKeyId: 'anchors', secretAccessKey: 'a secret of the bucket' }

interface Version {
  readonly key: string
  readonly id: number
  readonly isDeleteMarker: boolean
  readonly retainUntil: string | undefined
}

export interface BucketServer {
  /** With bucket and prefix. */
  readonly url: string
  readonly versions: readonly Version[]
  /** As anyone with rights on the bucket may: hides every object behind a delete marker. */
  hideAll(): void
  /** An object of someone else. */
  put(key: string): void
  stop(): Promise<void>
}

const page = 2

export async function startBucketServer(): Promise<BucketServer> {
  const versions: Version[] = []
  const add = (version: Omit<Version, 'id'>) => versions.push({ ...version, id: versions.length })
  const server = createServer((request, response) => {
    void answer(request, versions, add).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/xml' }).end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/audit/hub`,
    versions,
    hideAll() {
      for (const key of new Set(versions.map((version) => version.key))) {
        add({ key, isDeleteMarker: true, retainUntil: undefined })
      }
    },
    put: (key) => void add({ key, isDeleteMarker: false, retainUntil: undefined }),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

type Add = (version: Omit<Version, 'id'>) => void

async function answer(request: IncomingMessage, versions: readonly Version[], add: Add) {
  const body = await text(request)
  const url = new URL(request.url ?? '', `http://${request.headers.host}`)
  if (!(await isSigned(request, url))) return { status: 403, body: '<Code>AccessDenied</Code>' }
  if (request.method === 'GET') return { status: 200, body: listed(versions, url.searchParams) }
  const { 'content-md5': sum, 'x-amz-object-lock-mode': mode } = request.headers
  const retainUntil = request.headers['x-amz-object-lock-retain-until-date']
  const isWhole = sum === createHash('md5').update(body).digest('base64')
  if (!isWhole || mode !== 'COMPLIANCE' || typeof retainUntil !== 'string') {
    return { status: 400, body: '<Code>InvalidRequest</Code>' }
  }
  add({ key: url.pathname.split('/').slice(2).join('/'), isDeleteMarker: false, retainUntil })
  return { status: 200, body: '' }
}

/** Signs the same request again and compares. */
async function isSigned({ method = '', headers }: IncomingMessage, url: URL): Promise<boolean> {
  const { authorization = '', 'x-amz-date': datetime } = headers
  const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? []
  const signed = Object.fromEntries(
    names.filter((name) => name !== 'host').map((name) => [name, String(headers[name])]),
  )
  const signer = new AwsV4Signer({
    ...bucketKey,
    service: 's3',
    region: 'us-east-1',
    method,
    url: url.href,
    headers: signed,
    datetime: String(datetime),
  })
  return (await signer.sign()).headers.get('authorization') === authorization
}

function listed(versions: readonly Version[], query: URLSearchParams): string {
  const prefix = query.get('prefix') ?? ''
  const inOrder = versions
    .filter(({ key }) => key.startsWith(prefix))
    .toSorted((one, other) =>
      one.key < other.key ? -1 : one.key > other.key ? 1 : other.id - one.id,
    )
  const marker = query.get('version-id-marker')
  const from = marker === null ? 0 : inOrder.findIndex(({ id }) => String(id) === marker) + 1
  const shown = inOrder.slice(from, from + page)
  const last = shown.at(-1)
  const isTruncated = from + page < inOrder.length
  const entries = shown.map(({ key, id, isDeleteMarker }) => {
    const element = isDeleteMarker ? 'DeleteMarker' : 'Version'
    return `<${element}><Key>${key}</Key><VersionId>${id}</VersionId></${element}>`
  })
  const next = isTruncated
    ? `<NextKeyMarker>${last?.key}</NextKeyMarker><NextVersionIdMarker>${last?.id}</NextVersionIdMarker>`
    : ''
  return `<ListVersionsResult><IsTruncated>${isTruncated}</IsTruncated>${next}${entries.join('')}</ListVersionsResult>`
}
