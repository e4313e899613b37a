/** Consents that users gave PISPs: a search, the history of one, and the erasure of its contents. */
import {
  consentSummaryCredentialTypeValues,
  consentSummaryReasonValues,
  consentSummaryStateValues,
  present,
  type ConsentStep,
  type ConsentSummary,
} from '@causeway/protos'
import { z } from 'zod'
import { answered, refused, type OperationResult } from '../answer.ts'
import { searchFields, word } from '../fields.ts'
import type { Json } from '../json.ts'
import { commands, reads, type Operation } from '../operation.ts'
import { shownArchivedMonths, shownTime } from '../shapes.ts'
import { refusedUpstream, type Deps } from '../upstream.ts'

const states = z.enum(consentSummaryStateValues)

const search = z.object({
  consentId: word.optional(),
  fspId: word.optional().meta({ description: 'As DFSP or as PISP.' }),
  state: states.optional(),
  ...searchFields('of registration'),
})

const summary = {
  consentId: z.string(),
  state: states,
  dfspId: z.string(),
  /** null: the hub has not seen to which PISP it was granted. */
  pispId: z.string().nullable(),
  consentRequestId: z.string().nullable(),
  /** null: it has no credential, or none any more. */
  credentialType: z.enum(consentSummaryCredentialTypeValues).nullable(),
  credentialStatus: z.enum(['PENDING', 'VERIFIED']).nullable(),
  registeredAt: shownTime,
  issuedAt: shownTime.nullable(),
  revokedAt: shownTime.nullable(),
  revokedBy: z.string().nullable(),
  reason: z.enum(consentSummaryReasonValues).nullable(),
  erasedAt: shownTime.nullable(),
}

const shownConsents = z.strictObject({
  consents: z.array(z.strictObject(summary).meta({ id: 'Consent' })),
  next: z.string().nullable(),
})

const shownRecord = z
  .strictObject({
    ...summary,
    origin: z.string().nullable(),
    /** The newest first. */
    steps: z.array(
      z.strictObject({
        at: shownTime,
        type: z.string(),
        fspId: z.string(),
        detail: z.string(),
        verificationRequestId: z.string().optional(),
      }),
    ),
    archivedMonths: shownArchivedMonths,
  })
  .meta({ id: 'ConsentRecord' })

export function consentOperations(deps: Deps): readonly Operation[] {
  return [
    reads(
      '/consents',
      {
        about: 'Consents that users gave PISPs, the newest first',
        query: search,
        answers: { 200: shownConsents },
      },
      ({ query }) => findConsents(deps, query),
    ),
    reads(
      '/consents/:consentId',
      {
        about: 'A consent with its history; neither its scopes nor its credential',
        answers: { 200: shownRecord },
        refuses: ['CONSENT_UNKNOWN'],
      },
      ({ consentId }) => getConsent(deps, consentId),
    ),
    commands(
      'DELETE',
      '/consents/:consentId/contents',
      {
        about: 'Erases scopes and credential of a consent that is over, for ever',
        answers: { 204: null },
        refuses: ['CONSENT_UNKNOWN', 'CONSENT_IN_FORCE', 'INVALID'],
      },
      async ({ consentId, actor: erasedBy }) => {
        const { refusal } = await deps.consents.EraseConsent({ consentId, erasedBy })
        return refusal ? refusedUpstream(refusal) : answered(204)
      },
    ),
  ]
}

async function findConsents(deps: Deps, query: z.infer<typeof search>): Promise<OperationResult> {
  const { limit, from, to, after, ...filters } = query
  const page = { from: from || undefined, to: to || undefined, after: after || undefined }
  const wanted = { limit, ...present({ ...filters, ...page }) }
  const { consents, next } = await deps.consents.SearchConsents(wanted)
  return answered(200, { consents: consents.map(summaryBody), next: next ?? null })
}

async function getConsent(deps: Deps, consentId: string): Promise<OperationResult> {
  const { record } = await deps.consents.GetConsentRecord({ consentId })
  if (!record?.summary) return refused('CONSENT_UNKNOWN', `consent ${consentId}`)
  return answered(200, {
    ...summaryBody(record.summary),
    origin: record.origin ?? null,
    steps: record.steps.map(stepBody),
    archivedMonths: record.archivedMonths,
  })
}

function summaryBody(consent: ConsentSummary): Readonly<Record<string, Json>> {
  const { state, credentialType } = consent
  return {
    consentId: consent.consentId,
    state,
    dfspId: consent.dfspId,
    pispId: consent.pispId ?? null,
    consentRequestId: consent.consentRequestId ?? null,
    credentialType: credentialType ?? null,
    credentialStatus:
      credentialType === undefined ? null : state === 'ISSUED' ? 'VERIFIED' : 'PENDING',
    registeredAt: consent.registeredAt,
    issuedAt: consent.issuedAt ?? null,
    revokedAt: consent.revokedAt ?? null,
    revokedBy: consent.revokedBy ?? null,
    reason: consent.reason ?? null,
    erasedAt: consent.erasedAt ?? null,
  }
}

function stepBody({ at, type, fspId, detail, verificationRequestId }: ConsentStep): Json {
  return { at, type, fspId, detail, ...present({ verificationRequestId }) }
}
