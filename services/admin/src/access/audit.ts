/** The audit log: a search by filters, and the proof that it was not changed. */
import {
  auditEntryProvenanceValues,
  present,
  type AuditEntries,
  type AuditEntry,
  type AuditQuery,
} from '@causeway/protos'
import { z } from 'zod'
import { answered, refused, type OperationResult } from '../answer.ts'
import { time, word } from '../fields.ts'
import type { Json } from '../json.ts'
import { commands, reads, type Operation } from '../operation.ts'
import { shownTime } from '../shapes.ts'
import type { Deps } from '../upstream.ts'

const entries_usual = 100
const entries_max = 500
const page_max = 5_000
const faults_max = 1_000
const deadline_ms = 30_000

const search = z.object({
  bc: word.optional().meta({ description: 'The service that made the entry.' }),
  actionType: word.optional(),
  userId: word.optional(),
  subject: word.optional().meta({ description: 'The subject, or all its descendants.' }),
  label: word.optional().meta({ description: 'KEY=VALUE' }),
  from: time.optional(),
  to: time.optional(),
  cursor: z.string().optional().meta({ description: 'From the previous answer.' }),
  limit: z
    .string()
    .optional()
    .meta({ description: `From 1 to ${entries_max}.` }),
})

const shownState = z.looseObject({}).nullable()

const shownEntry = z
  .looseObject({
    id: z.string(),
    actionTimestamp: shownTime,
    sourceBcName: z.string(),
    /** The addresses of the caller; family HOST: the service's own host. */
    callerNetworkSources: z.array(z.looseObject({ family: z.string(), address: z.string() })),
    securityContext: z.looseObject({
      userId: z.string().optional(),
      appId: z.string().optional(),
      role: z.string().optional(),
      sessionId: z.string().optional(),
    }),
    sourceKeyId: z.string().optional(),
    sourceSignature: z.string().optional(),
    actionType: z.string(),
    actionSuccessful: z.boolean(),
    subject: z.string(),
    /** A value with encryptionKeyId is encrypted. */
    labels: z
      .array(
        z.strictObject({
          key: z.string(),
          value: z.string(),
          encryptionKeyId: z.string().optional(),
        }),
      )
      .optional(),
    before: shownState,
    after: shownState,
    /** Its position in the chain. */
    number: z.string(),
    recordedDate: shownTime,
    hash: z.string(),
    previousHash: z.string(),
    keyId: z.string(),
    signatureValid: z.boolean(),
    /** SIGNED or UNSIGNED by its source, or RELEASED from quarantine. */
    provenance: z.enum(auditEntryProvenanceValues),
  })
  .meta({ id: 'AuditEntry' })

const shownPage = z.strictObject({
  entries: z.array(shownEntry),
  /** For the next page; absent on the last one. */
  cursor: z.string().optional(),
})

export function auditOperations(deps: Deps): readonly Operation[] {
  const about = {
    about: 'Who did what, with the values before and after, newest first',
    query: search,
    answers: { 200: shownPage },
  }
  return [
    reads('/audit', about, ({ query }) => list(query, deps.audit.ListAuditEntries)),
    reads('/read-audit-log', about, ({ query }) => list(query, deps.audit.ListAuditEntries)),
  ]
}

export function confidentialAuditOperations(deps: Deps): readonly Operation[] {
  return [
    commands(
      'POST',
      '/audit/confidential',
      {
        about: 'As /audit, with confidential members decrypted; each call is audited',
        query: search,
        answers: { 200: shownPage },
      },
      ({ query, actor }) =>
        list(query, (asked) => deps.audit.ReadConfidentialEntries({ query: asked, actor })),
    ),
  ]
}

/** Under its name in the reference architecture. */
export function auditLogOperations(deps: Deps): readonly Operation[] {
  return [
    reads(
      '/audit-read-build-audit-log',
      {
        about: 'How far the audit log is built: its last entry, and the last anchor of it',
        answers: {
          200: z.strictObject({
            lastNumber: z.string(),
            lastHash: z.string(),
            /** Absent while the log is empty. */
            signedDate: shownTime.optional(),
            keyId: z.string().optional(),
            signatureValid: z.boolean(),
            /** Absent where there is no anchor. */
            anchor: z.strictObject({ number: z.string(), signedDate: shownTime }).optional(),
            /** The last scheduled verification; absent before the first one. */
            verification: z.strictObject({ date: shownTime, faults: z.int() }).optional(),
          }),
        },
      },
      () => describe(deps),
    ),
  ]
}

async function describe(deps: Deps): Promise<OperationResult> {
  const state = await deps.audit.DescribeAuditLog({})
  const { lastN, lastHash, signedAt, kid, signatureValid, anchorN, anchoredAt } = state
  const { verifiedAt, verificationFaults: faults = 0 } = state
  return answered(200, {
    lastNumber: lastN,
    lastHash,
    ...(signedAt === undefined || kid === undefined ? {} : { signedDate: signedAt, keyId: kid }),
    signatureValid,
    ...(anchorN === undefined || anchoredAt === undefined
      ? {}
      : { anchor: { number: anchorN, signedDate: anchoredAt } }),
    ...(verifiedAt === undefined ? {} : { verification: { date: verifiedAt, faults } }),
  })
}

const note = z.object({
  number: z
    .string()
    .optional()
    .meta({ description: 'An entry that was noted elsewhere: its number, and with it its hash.' }),
  hash: z.string().optional().meta({ description: '64 hexadecimal digits.' }),
})

export function auditVerification(deps: Deps): readonly Operation[] {
  return [
    commands(
      'POST',
      '/audit/verify',
      {
        about:
          'Verifies every entry: the hash chain and each signature; compares the log with every anchor, and with an entry that was noted elsewhere',
        query: note,
        answers: {
          200: z.strictObject({
            clean: z.boolean(),
            checked: z.string(),
            lastNumber: z.string(),
            lastHash: z.string(),
            anchorsChecked: z.string(),
            faults: z.array(z.string()),
          }),
        },
      },
      ({ query }) => verify(deps, query),
    ),
  ]
}

async function list(
  query: z.infer<typeof search>,
  find: (asked: AuditQuery) => Promise<AuditEntries>,
): Promise<OperationResult> {
  const limit = query.limit === undefined ? entries_usual : Number(query.limit)
  if (!Number.isInteger(limit) || limit < 1 || limit > entries_max) {
    return refused('INVALID', `limit must be a number from 1 to ${entries_max}`)
  }
  const { label, cursor = '' } = query
  const [key = '', ...value] = label?.split('=') ?? []
  if (label !== undefined && value.length === 0)
    return refused('MALFORMED', 'label must be KEY=VALUE')
  if (!/^\d{0,18}$/.test(cursor)) return refused('MALFORMED', 'cursor is invalid')
  const { entries } = await find({
    ...present({
      source: query.bc,
      action: query.actionType,
      actor: query.userId,
      subject: query.subject,
      from: query.from,
      to: query.to,
    }),
    ...(label === undefined ? {} : { labelKey: key, labelValue: value.join('=') }),
    ...(cursor === '' ? {} : { beforeN: cursor }),
    limit,
  })
  const last = entries.at(-1)
  return answered(200, {
    entries: entries.map(entryBody),
    ...(entries.length < limit || last === undefined ? {} : { cursor: last.n }),
  })
}

function entryBody(entry: AuditEntry) {
  const { n, recordedAt, entryJson, hash, previousHash, kid, signatureValid, provenance } = entry
  return {
    ...(JSON.parse(entryJson) as Readonly<Record<string, Json>>),
    number: n,
    recordedDate: recordedAt,
    hash,
    previousHash,
    keyId: kid,
    signatureValid,
    provenance,
  } satisfies Json
}

/** Number and hash of the last entry, for a caller that notes them elsewhere. */
async function verify(deps: Deps, noted: z.infer<typeof note>): Promise<OperationResult> {
  const { number = '', hash = '' } = noted
  const isNoted = /^\d{1,18}$/.test(number) && /^[\da-f]{64}$/i.test(hash)
  if (!isNoted && (number !== '' || hash !== '')) {
    return refused('MALFORMED', 'number and hash must be those of one entry')
  }
  const faults: string[] = []
  let checked = 0n
  let afterN = '0'
  let anchorsChecked = '0'
  for (let isEnd = false; !isEnd && faults.length < faults_max;) {
    const named = isNoted ? { notedN: number, notedHash: hash } : {}
    const page = { afterN, limit: page_max, ...named }
    const report = await deps.audit.VerifyAuditChain(page, { deadline_ms })
    faults.push(...report.faults)
    checked += BigInt(report.checked)
    afterN = report.lastN
    ;({ isEnd, anchorsChecked } = report)
  }
  const lastHash = await hashOf(deps, afterN)
  const clean = faults.length === 0
  const last = { lastNumber: afterN, lastHash }
  return answered(200, { clean, checked: String(checked), ...last, anchorsChecked, faults })
}

async function hashOf(deps: Deps, n: string): Promise<string> {
  const beforeN = String(BigInt(n) + 1n)
  const { entries } = await deps.audit.ListAuditEntries({ beforeN, limit: 1 })
  return entries[0]?.hash ?? ''
}
