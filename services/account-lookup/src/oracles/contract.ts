/**
 * The interface of an oracle: JSON over HTTP, called by the hub. Answers are read leniently, except
 * for the members that the hub relies on. Oracle API 1.0 (/participants).
 */
import { elements, writeHttpDate } from '@causeway/fspiop'
import type { HttpAnswer } from '@causeway/http'
import { z } from 'zod'
import { anyCurrency, type Association } from '../domain/match.ts'
import { partyKey, readParty, type Party } from '../domain/party.ts'

const entries_max = 10_000
/** null and '' mean the same as an absent member. */
const optionalText = z
  .string()
  .max(128)
  .nullish()
  .transform((text) => text ?? '')

/** FSPs read it in an error, which has at most 128 characters. */
const description = z
  .string()
  .transform((text) => text.slice(0, 128).replaceAll(/[\p{Cc}\p{Surrogate}]/gu, ' '))

const found = z.object({
  partyList: z
    .array(
      z.object({ fspId: elements.fspId, partySubIdOrType: optionalText, currency: optionalText }),
    )
    .max(entries_max),
})

const results = z.object({
  partyList: z
    .array(
      z.object({
        partyId: z.object({
          partyIdType: z.string(),
          partyIdentifier: z.string(),
          partySubIdOrType: optionalText,
        }),
        errorInformation: z.object({ errorDescription: description }).nullish(),
      }),
    )
    .max(entries_max),
})

const refusal = z.object({ errorInformation: z.object({ errorDescription: description }) })

export type ChangeResult =
  | { readonly type: 'DONE' }
  | { readonly type: 'UNKNOWN' }
  /** The detail is the oracle's description. */
  | { readonly type: 'REFUSED'; readonly detail: string }

/** The path and query of one party. */
export function partyPath({ type, identifier, subId }: Party, currency?: string): string {
  const query = [
    ...(currency === undefined || currency === anyCurrency ? [] : [`currency=${currency}`]),
    ...(currency === undefined || subId === ''
      ? []
      : [`partySubIdOrType=${encodeURIComponent(subId)}`]),
  ].join('&')
  const path = `/participants/${type}/${encodeURIComponent(identifier)}`
  return query === '' ? path : `${path}?${query}`
}

/** `source` is the FSP on whose behalf the hub calls, or the hub itself. */
export function headersOf(
  source: string,
  hubName: string,
  now: Date,
): Readonly<Record<string, string>> {
  return {
    accept: 'application/json',
    'content-type': 'application/json',
    date: writeHttpDate(now),
    'fspiop-source': source,
    'fspiop-destination': hubName,
  }
}

/** By these an oracle says that it does not know the party. */
const unknownStatuses: ReadonlySet<number> = new Set([204, 400, 404])

/** Empty for a party that the oracle does not know; undefined if the answer is not usable. */
export function readAssociations(answer: HttpAnswer): readonly Association[] | undefined {
  if (unknownStatuses.has(answer.status)) return []
  if (answer.status !== 200) return undefined
  return read(found, answer)?.partyList.map(({ fspId, partySubIdOrType, currency }) => ({
    fspId,
    subId: partySubIdOrType,
    currency,
  }))
}

/** The answer to a change of one party. */
export function readChangeResult(answer: HttpAnswer): ChangeResult | undefined {
  const { status } = answer
  if (status >= 200 && status < 300) return { type: 'DONE' }
  if (status === 404) return { type: 'UNKNOWN' }
  if (status < 400 || status >= 500 || status === 408 || status === 429) return undefined
  const detail = read(refusal, answer)?.errorInformation.errorDescription
  return { type: 'REFUSED', detail: detail ?? `the oracle answered ${status}` }
}

/** The result for each party, by its key; a batch that is refused as a whole refuses each party. */
export function readBatchResults(
  answer: HttpAnswer,
  parties: readonly Party[],
): ReadonlyMap<string, ChangeResult> | undefined {
  if (answer.status !== 200 && answer.status !== 201) {
    const changed = readChangeResult(answer)
    return changed === undefined || changed.type === 'DONE'
      ? undefined
      : new Map(parties.map((party) => [partyKey(party), changed]))
  }
  const list = read(results, answer)?.partyList
  if (list === undefined) return undefined
  const changed = new Map<string, ChangeResult>()
  for (const { partyId, errorInformation } of list) {
    const { partySubIdOrType, ...name } = partyId
    const reading = readParty(partySubIdOrType === '' ? name : { ...name, partySubIdOrType })
    if (reading.type !== 'PARTY') continue
    const detail = errorInformation?.errorDescription
    changed.set(
      partyKey(reading.party),
      detail === undefined ? { type: 'DONE' } : { type: 'REFUSED', detail },
    )
  }
  return changed
}

function read<Schema extends z.ZodType>(
  schema: Schema,
  { body }: HttpAnswer,
): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(body.toString())).data
  } catch {
    return undefined
  }
}
