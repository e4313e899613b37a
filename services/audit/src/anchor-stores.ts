/** The stores of anchors that are set, and the work that anchors the log in each of them. */
import { baseAddressFault } from '@causeway/fspiop'
import type { Queries } from '@causeway/postgres'
import { periodically, StartError, type Logger, type Service } from '@causeway/process'
import type { ProcessParts } from '@causeway/runtime'
import { Gauge } from 'prom-client'
import type { AnchorStore } from './anchor.ts'
import { openAnchorBucket } from './anchor-bucket.ts'
import { openAnchorFile } from './anchor-file.ts'
import { anchorHead } from './anchoring.ts'
import { headOf } from './store.ts'
import type { AuditSettings } from './settings.ts'
import type { IsSigned, Signer } from './signing.ts'

const day_ms = 86_400_000

/** Throws StartError for a file that cannot be written, and for a bucket without address or key. */
export async function openAnchorStores(settings: AuditSettings): Promise<readonly AnchorStore[]> {
  const { AUDIT_ANCHOR_FILE: path, AUDIT_ANCHOR_S3_URL: url } = settings
  return [
    ...(path === undefined ? [] : [await openAnchorFile('AUDIT_ANCHOR_FILE', path)]),
    ...(url === undefined ? [] : [bucketOf(settings, url)]),
  ]
}

function bucketOf(settings: AuditSettings, address: string): AnchorStore {
  const { AUDIT_ANCHOR_S3_KEY_ID: accessKeyId, AUDIT_ANCHOR_S3_SECRET: secretAccessKey } = settings
  const url = baseAddressFault(address) === undefined ? new URL(address) : undefined
  if (url === undefined || !/^\/[\w.-]+(\/[\w.-]+)*\/?$/.test(url.pathname)) {
    throw new StartError('AUDIT_ANCHOR_S3_URL is not https://HOST/BUCKET/PREFIX.')
  }
  if (accessKeyId === undefined) throw new StartError('AUDIT_ANCHOR_S3_KEY_ID is not set.')
  if (secretAccessKey === undefined) throw new StartError('AUDIT_ANCHOR_S3_SECRET is not set.')
  return openAnchorBucket({
    url,
    region: settings.AUDIT_ANCHOR_S3_REGION,
    accessKeyId,
    secretAccessKey,
    retention_ms: settings.AUDIT_ANCHOR_S3_RETENTION_D * day_ms,
  })
}

/** A log with entries has anchors in its file from the first minute, or the first orderly stop, on. */
export async function warnOfLostAnchors(
  stores: readonly AnchorStore[],
  db: Queries,
  log: Logger,
): Promise<void> {
  for (const store of stores.filter(({ name }) => name === 'file')) {
    if ((await store.last()) === undefined && (await headOf(db)).n > 0n) {
      log.warn('the audit log has entries, and its file of anchors is empty: they are lost')
    }
  }
}

export interface AnchoringParts {
  readonly db: Queries
  readonly stores: readonly AnchorStore[]
  readonly signer: Signer
  readonly isSigned: IsSigned
}

export function anchorPeriodically(
  interval_s: number,
  { metrics, log }: Pick<ProcessParts, 'metrics' | 'log'>,
  { stores, ...parts }: AnchoringParts,
): Service {
  const broken = new Gauge({
    name: 'audit_log_broken',
    help: '1 while the audit log does not contain what its last anchor names, by store of anchors',
    labelNames: ['store'],
    registers: [metrics],
  })
  const anchored = new Gauge({
    name: 'audit_anchored_timestamp_seconds',
    help: 'when the audit log was last compared with its last anchor, and anchored, by store',
    labelNames: ['store'],
    registers: [metrics],
  })
  const work = stores.map((store) => {
    const anchor = async () => {
      const now = new Date()
      const fault = await anchorHead({ ...parts, store }, now)
      broken.set({ store: store.name }, fault === undefined ? 0 : 1)
      anchored.set({ store: store.name }, now.getTime() / 1_000)
      if (fault === undefined) return
      log.error({ fault, store: store.name }, 'ALARM the audit log does not fit its last anchor')
    }
    // An alarm tells by its age that a store never answered.
    anchored.set({ store: store.name }, Date.now() / 1_000)
    const name = `anchor of the audit log in the ${store.name}`
    const anchoring = periodically(interval_s * 1_000, anchor, { log, name })
    return {
      // What came since the last anchor is anchored too.
      async stop() {
        await anchoring.stop()
        await anchor().catch((error: unknown) => log.warn({ err: error }, `${name}: not stored`))
      },
    }
  })
  return {
    async stop() {
      await Promise.all(work.map((each) => each.stop()))
    },
  }
}
