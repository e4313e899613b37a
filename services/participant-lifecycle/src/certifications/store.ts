/** Reports of certifications as rows, which are only ever added. */
import { createHash } from 'node:crypto'
import { statement, type Queries, type Transaction } from '@causeway/postgres'
import { countsOf, type Certification, type KitReport, type CaseResult } from './contract.ts'

const columns = `certifications.id, participants.name as participant, started_at, finished_at,
  callback_url, passed, failed, not_run, uploaded_by, uploaded_at`

const ofParticipant = `certifications join participants on participants.id = participant_id`

interface CertificationRow {
  readonly id: number
  readonly participant: string
  readonly started_at: Date
  readonly finished_at: Date
  readonly callback_url: string
  readonly passed: number
  readonly failed: number
  readonly not_run: number
  readonly uploaded_by: string
  readonly uploaded_at: Date
}

function certificationOf(row: CertificationRow): Certification {
  return {
    id: row.id,
    participant: row.participant,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    callbackUrl: row.callback_url,
    passed: row.passed,
    failed: row.failed,
    notRun: row.not_run,
    uploadedBy: row.uploaded_by,
    uploadedAt: row.uploaded_at,
  }
}

const known = statement('select id from participants where name = $1')

/** The id of the participant of that name. */
export async function participantIdOf(db: Queries, name: string): Promise<number | undefined> {
  const [row] = await db.query<{ id: number }>(known, [name])
  return row?.id
}

const insert = statement(`
  insert into certifications (participant_id, started_at, finished_at, callback_url, passed, failed,
    not_run, results, content_hash, uploaded_by)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  on conflict (participant_id, content_hash) do nothing
  returning id`)

const equal = statement(`
  select ${columns} from ${ofParticipant} where participant_id = $1 and content_hash = $2`)

export interface StoredCertification {
  readonly certification: Certification
  /** False: an equal report of the participant was there. */
  readonly isNew: boolean
}

export async function addCertification(
  tx: Transaction,
  participantId: number,
  { report, by }: { readonly report: KitReport; readonly by: string },
): Promise<StoredCertification> {
  const { startedAt, finishedAt, callbackUrl, results } = report
  const { passed, failed, notRun } = countsOf(results)
  const hash = createHash('sha256').update(JSON.stringify(report)).digest()
  const added = await tx.query(insert, [
    participantId,
    startedAt,
    finishedAt,
    callbackUrl,
    passed,
    failed,
    notRun,
    JSON.stringify(results),
    hash,
    by,
  ])
  const [row] = await tx.query<CertificationRow>(equal, [participantId, hash])
  if (row === undefined) throw new Error('a report was not stored')
  return { certification: certificationOf(row), isNew: added.length > 0 }
}

const list = statement(`
  select ${columns} from ${ofParticipant}
  where participant_id = $1 and ($2::text is null or certifications.id < $2::text::integer)
  order by certifications.id desc
  limit $3`)

/** The last of the page before. */
export interface CertificationCursor {
  readonly id: string
}

/** The one that was stored last comes first. */
export async function certificationsOf(
  db: Queries,
  participantId: number,
  after: CertificationCursor | null,
  limit: number,
): Promise<readonly Certification[]> {
  const rows = await db.query<CertificationRow>(list, [participantId, after?.id ?? null, limit])
  return rows.map(certificationOf)
}

const find = statement(`
  select ${columns}, results from ${ofParticipant}
  where participant_id = $1 and certifications.id = $2`)

export interface WholeCertification {
  readonly certification: Certification
  readonly results: readonly CaseResult[]
}

export async function wholeCertification(
  db: Queries,
  participantId: number,
  id: number,
): Promise<WholeCertification | undefined> {
  const [row] = await db.query<CertificationRow & { readonly results: readonly CaseResult[] }>(
    find,
    [participantId, id],
  )
  return row && { certification: certificationOf(row), results: row.results }
}
