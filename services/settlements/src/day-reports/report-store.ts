/** The stored reports. None changes after it was stored; a correction is another version. */
import { statement, textArray, type Queries, type Transaction } from '@causeway/postgres'
import type { ReportDeliveryForm } from '@causeway/protos'
import type { Period } from './domain/facts.ts'

export interface StoredReport {
  /** Empty: the operator's. */
  readonly participant: string
  readonly day: string
  readonly scope: string
  readonly version: number
  readonly madeAt: Date
  /** JSON. */
  readonly body: string
  /** Of the body; hexadecimal. */
  readonly sha256: string
  /** JSON. */
  readonly summary: string
}

const columns = `participant, day::text as day, scope, version, made_at as "madeAt", body,
  encode(sha256, 'hex') as sha256, summary`

const lockDay = statement(`
  select version from report_days where day = $1::date and scope = $2 for update`)

/** The last version of the day, locked until the commit. */
export async function lockVersion(tx: Transaction, day: string, scope: string): Promise<number> {
  const [row] = await tx.query<{ readonly version: number }>(lockDay, [day, scope])
  if (row === undefined) throw new Error(`${day} has not ended`)
  return row.version
}

const latest = statement(`
  select distinct on (participant) ${columns} from day_reports
  where day = $1::date and scope = $2
  order by participant, version desc`)

/** The last version of each participant's report, by participant. */
export async function latestReports(
  db: Queries,
  day: string,
  scope: string,
): Promise<ReadonlyMap<string, StoredReport>> {
  const rows = await db.query<StoredReport>(latest, [day, scope])
  return new Map(rows.map((row) => [row.participant, row]))
}

const insertReports = statement(`
  insert into day_reports (participant, day, scope, version, made_at, reason, body, sha256, summary)
  select participant, $1::date, $2, $3, $4, $5, body, decode(sha256, 'hex'), summary
  from unnest($6::text[], $7::text[], $8::text[], $9::text[]) as made (participant, body, sha256, summary)`)

export interface NewReports {
  readonly day: string
  readonly scope: string
  readonly version: number
  readonly madeAt: Date
  readonly reason: string
  readonly reports: readonly Pick<StoredReport, 'participant' | 'body' | 'sha256' | 'summary'>[]
}

export async function addReports(tx: Transaction, added: NewReports): Promise<void> {
  const { day, scope, version, madeAt, reason, reports } = added
  await tx.query(insertReports, [
    day,
    scope,
    version,
    madeAt,
    reason,
    textArray(reports.map(({ participant }) => participant)),
    textArray(reports.map(({ body }) => body)),
    textArray(reports.map(({ sha256 }) => sha256)),
    textArray(reports.map(({ summary }) => summary)),
  ])
}

const saveDay = statement(`
  update report_days set version = $3 where day = $1::date and scope = $2`)

const insertPeriods = statement(`
  insert into report_periods (currency, day, scope, from_at, until_at)
  select currency, $1::date, $2, from_at, until_at
  from unnest($3::text[], $4::text[]::timestamptz[], $5::text[]::timestamptz[])
    as periods (currency, from_at, until_at)
  on conflict do nothing`)

export interface DayMade {
  readonly day: string
  readonly scope: string
  readonly version: number
  readonly periods: readonly Period[]
}

export async function saveDayMade(
  tx: Transaction,
  { day, scope, version, periods }: DayMade,
): Promise<void> {
  await tx.query(saveDay, [day, scope, version])
  await tx.query(insertPeriods, [
    day,
    scope,
    textArray(periods.map(({ currency }) => currency)),
    textArray(periods.map(({ from }) => from.toISOString())),
    textArray(periods.map(({ until }) => until.toISOString())),
  ])
}

export interface ReportsWanted {
  readonly participant: string
  /** Both inclusive; null: unbounded. */
  readonly from: string | null
  readonly to: string | null
  readonly scope: string | null
  readonly limit: number
}

const listed = statement(`
  select distinct on (day, scope) participant, day::text as day, scope, version, made_at as "madeAt",
    encode(sha256, 'hex') as sha256, summary
  from day_reports
  where participant = $1 and ($2::text is null or day >= $2::text::date)
    and ($3::text is null or day <= $3::text::date) and ($4::text is null or scope = $4)
  order by day desc, scope, version desc
  limit $5`)

/** The last version of each day, the newest day first. */
export async function listReports(
  db: Queries,
  { participant, from, to, scope, limit }: ReportsWanted,
): Promise<readonly Omit<StoredReport, 'body'>[]> {
  return db.query<Omit<StoredReport, 'body'>>(listed, [participant, from, to, scope, limit])
}

const one = statement(`
  select ${columns} from day_reports
  where participant = $1 and day = $2::date and scope = $3 and ($4 = 0 or version = $4)
  order by version desc limit 1`)

/** @param version 0: the last one */
export async function findReport(
  db: Queries,
  wanted: Pick<StoredReport, 'participant' | 'day' | 'scope' | 'version'>,
): Promise<StoredReport | undefined> {
  const { participant, day, scope, version } = wanted
  const [row] = await db.query<StoredReport>(one, [participant, day, scope, version])
  return row
}

const standard: ReportDeliveryForm = 'LINK'

const readDeliveries = statement(`
  select participant, delivery from report_deliveries where participant = any($1::text[])`)

/** How each of them gets its reports by e-mail. */
export async function deliveriesOf(
  db: Queries,
  participants: readonly string[],
): Promise<ReadonlyMap<string, ReportDeliveryForm>> {
  const rows = await db.query<{
    readonly participant: string
    readonly delivery: ReportDeliveryForm
  }>(readDeliveries, [textArray(participants)])
  const found = new Map(rows.map(({ participant, delivery }) => [participant, delivery]))
  return new Map(participants.map((name) => [name, found.get(name) ?? standard]))
}

export async function deliveryOf(db: Queries, participant: string): Promise<ReportDeliveryForm> {
  return (await deliveriesOf(db, [participant])).get(participant) ?? standard
}

const saveDeliveryRow = statement(`
  insert into report_deliveries (participant, delivery) values ($1, $2)
  on conflict (participant) do update set delivery = excluded.delivery`)

export async function saveDelivery(
  tx: Transaction,
  participant: string,
  delivery: ReportDeliveryForm,
): Promise<void> {
  await tx.query(saveDeliveryRow, [participant, delivery])
}
