/**
 * Evidence as the ledger stores it: JSON of at most 16 KiB. What can grow is left out before the bound
 * is broken, so an outcome is never refused for the length of an extension list.
 */
import { z } from 'zod'
import type { OutcomeEvidence } from './domain/evidence.ts'

const evidence_bytes_max = 16 * 1024

const extensionList = z.object({
  extension: z.array(z.object({ key: z.string(), value: z.string() })),
})

const errorInformation = z.object({
  errorCode: z.string(),
  errorDescription: z.string(),
  extensionList: extensionList.optional(),
})

const ofMessage = {
  eventId: z.string(),
  payloadHash: z.string(),
  version: z.string(),
  completedTimestamp: z.string(),
}

const schema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('FULFIL'),
    ...ofMessage,
    fulfilment: z.string(),
    notifyPayee: z.boolean(),
    extensionList: extensionList.optional(),
  }),
  z.object({
    kind: z.literal('INVALID_FULFILMENT'),
    ...ofMessage,
    notifyPayee: z.boolean(),
    errorInformation,
  }),
  z.object({
    kind: z.literal('REJECT'),
    ...ofMessage,
    errorInformation,
    extensionList: extensionList.optional(),
  }),
  z.object({ kind: z.literal('REFUSAL'), completedTimestamp: z.string(), errorInformation }),
])

export function writeEvidence(evidence: OutcomeEvidence): Buffer {
  const whole = Buffer.from(JSON.stringify(evidence))
  return whole.length <= evidence_bytes_max
    ? whole
    : Buffer.from(JSON.stringify(withoutExtensions(evidence)))
}

/** undefined where there is none; 'unreadable' is what only a newer release can have written. */
export type ReadEvidence = OutcomeEvidence | 'unreadable' | undefined

export function readEvidence(bytes: Buffer): ReadEvidence {
  if (bytes.length === 0) return undefined
  try {
    return schema.parse(JSON.parse(bytes.toString()))
  } catch {
    return 'unreadable'
  }
}

function withoutExtensions(evidence: OutcomeEvidence): OutcomeEvidence {
  if (evidence.kind === 'FULFIL') return { ...evidence, extensionList: undefined }
  const { errorCode, errorDescription } = evidence.errorInformation
  const errorInformation = { errorCode, errorDescription }
  return evidence.kind === 'REJECT'
    ? { ...evidence, errorInformation, extensionList: undefined }
    : { ...evidence, errorInformation }
}
