/** Consents on a real database, with a clock that tests set, and all announced messages. */
import type { OutgoingMessage } from '@causeway/bus'
import type { RelyingPartyPolicy } from '@causeway/credentials'
import { statement, type Database } from '@causeway/postgres'
import { openLog } from '@causeway/process'
import type { TestParts } from '@causeway/runtime/testing'
import { ownDatabase } from '../../testing/world.ts'
import type { ConsentEvent } from '../contract.ts'
import { handleBatch, type ConsentWork } from '../handle.ts'
import { openConsentStore, type ConsentStore } from '../store.ts'
import { refuseUnconfirmed } from '../sweep.ts'
import { owner, started } from './messages.ts'
import { strict } from './policy.ts'

export interface StoredConsent {
  readonly id: string
  readonly state: string
  readonly dfsp: string
  readonly reason: string | null
  readonly verifier: string | null
  readonly sign_count: string | null
}

const consentStatement = statement(`
  select id, state, dfsp, reason, verifier, sign_count from consents where id = $1`)
const stepsStatement = statement(`
  select step, fsp from consent_steps where consent_id = $1 order by n`)
const withdrawnStatement = statement(`
  select credential_type from revoked_credentials where consent_id = $1`)

export type ConsentsWorld = Awaited<ReturnType<typeof openWorld>>

export async function openWorld(parts: TestParts) {
  const db = await ownDatabase(parts, 4)
  let now_ms = Date.parse(started)
  const published: OutgoingMessage[] = []
  const open = (policy: RelyingPartyPolicy): ConsentWork => ({
    // Only committed messages are published.
    store: openConsentStore(noting(db, published), parts.bus),
    policy,
    roots: [],
    participant: owner,
    publish(messages) {
      published.push(...messages)
      return Promise.resolve()
    },
    now: () => new Date(now_ms),
    onDecided: () => undefined,
  })
  let work = open(strict)
  await work.store.ensurePartitions(new Date(now_ms))

  async function saidBy(working: Promise<void>): Promise<readonly string[]> {
    const from = published.length
    await working
    return published.slice(from).map(summaryOf)
  }

  return {
    db,
    published,
    work: () => work,
    setPolicy(policy: Partial<RelyingPartyPolicy>) {
      work = open({ ...strict, ...policy })
    },
    after(ms: number) {
      now_ms += ms
    },
    handle: (...events: readonly ConsentEvent[]) => saidBy(handleBatch(work, events)),
    /** `through`: the store with faults. */
    sweep: (wait_ms: number, through: (store: ConsentStore) => ConsentStore = (store) => store) =>
      saidBy(
        refuseUnconfirmed(
          { ...work, store: through(work.store) },
          {
            batch_max: 2,
            wait_ms,
            lowWatermark: () => Promise.resolve(new Date(now_ms)),
            log: openLog({ name: 'test', level: 'silent' }),
          },
        ),
      ),
    async consent(id: string): Promise<StoredConsent | undefined> {
      const [row] = await db.query<StoredConsent>(consentStatement, [id])
      return row
    },
    async steps(id: string): Promise<readonly string[]> {
      const rows = await db.query<{ step: string; fsp: string }>(stepsStatement, [id])
      return rows.map(({ step, fsp }) => `${step} ${fsp}`)
    },
    async withdrawn(id: string): Promise<readonly string[]> {
      const rows = await db.query<{ credential_type: string }>(withdrawnStatement, [id])
      return rows.map((row) => row.credential_type)
    },
  }
}

/** Records announced messages as soon as their transaction is committed. */
function noting(db: Database, published: OutgoingMessage[]): Database {
  return {
    ...db,
    async transaction(work, options) {
      let announced: readonly OutgoingMessage[] = []
      const result = await db.transaction(async (tx) => {
        const given = await work(tx)
        announced = [...tx.announced]
        return given
      }, options)
      published.push(...announced)
      return result
    },
  }
}

interface Recipients {
  readonly requesterFspId?: string
  readonly errorInformation?: { readonly errorCode: string }
  readonly recipients?: readonly { readonly fspId: string }[]
  readonly result?: {
    readonly authenticationResponse?: string
    readonly errorInformation?: { readonly errorCode: string }
  }
}

/** An event with its recipient and its result. */
function summaryOf({ type, payload }: OutgoingMessage): string {
  const { requesterFspId, recipients, result, errorInformation } = payload as Recipients
  const error = errorInformation ?? result?.errorInformation
  const to = recipients?.map(({ fspId }) => fspId).join() ?? requesterFspId
  return [type, to, result?.authenticationResponse, error?.errorCode].filter(Boolean).join(' ')
}
