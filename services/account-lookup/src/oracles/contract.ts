/**
 * The interface of an oracle: plain JSON over HTTP, called by the hub. What an oracle answers is read
 * leniently but for what the hub relies on. Oracle API 1.0 (/participants).
 */
import { elements, writeHttpDate } from '@causeway/fspiop'
import type { HttpAnswer } from '@causeway/runtime'
import { z } from 'zod'
import type { Association } from '../domain/match.ts'
import { partyKey, readParty, type Party } from '../domain/party.ts'

const entries_max = 10_000
/** null and '' say as little as a member that is left out. */
const optionalText = z
  .string()
  .max(128)
  .nullish()
  .transform((text) => text ?? '')

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
        errorInformation: z.object({ errorDescription: z.string() }).nullish(),
      }),
    )
    .max(entries_max),
})

const refusal = z.object({ errorInformation: z.object({ errorDescription: z.string() }) })

export type Said =
  | { readonly type: 'DONE' }
  | { readonly type: 'UNKNOWN' }
  /** In the oracle's words. */
  | { readonly type: 'REFUSED'; readonly detail: string }

/** The path and query of one party. */
export function partyPath({ type, identifier, subId }: Party, currency?: string): string {
  const query = [
    ...(currency === undefined || currency === '' ? [] : [`currency=${currency}`]),
    ...(currency === undefined || subId === ''
      ? []
      : [`partySubIdOrType=${encodeURIComponent(subId)}`]),
  ].join('&')
  const path = `/participants/${type}/${encodeURIComponent(identifier)}`
  return query === '' ? path : `${path}?${query}`
}

/** `source` is the FSP in whose name the hub calls, or the hub itself. */
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

/** None for a party that the oracle does not know; undefined when the answer says nothing. */
export function readFound(answer: HttpAnswer): readonly Association[] | undefined {
  if (answer.status === 404 || answer.status === 400) return []
  if (answer.status !== 200) return undefined
  return read(found, answer)?.partyList.map(({ fspId, partySubIdOrType, currency }) => ({
    fspId,
    subId: partySubIdOrType,
    currency,
  }))
}

/** The answer to a change of one party. */
export function readSaid(answer: HttpAnswer): Said | undefined {
  const { status } = answer
  if (status >= 200 && status < 300) return { type: 'DONE' }
  if (status === 404) return { type: 'UNKNOWN' }
  if (status < 400 || status >= 500 || status === 408 || status === 429) return undefined
  const detail = read(refusal, answer)?.errorInformation.errorDescription
  return { type: 'REFUSED', detail: detail ?? `the oracle answered ${status}` }
}

/** What became of each party, by its key; a list that was refused as a whole refuses each. */
export function readResults(
  answer: HttpAnswer,
  parties: readonly Party[],
): ReadonlyMap<string, Said> | undefined {
  if (answer.status !== 200 && answer.status !== 201) {
    const said = readSaid(answer)
    return said === undefined || said.type === 'DONE'
      ? undefined
      : new Map(parties.map((party) => [partyKey(party), said]))
  }
  const list = read(results, answer)?.partyList
  if (list === undefined) return undefined
  const said = new Map<string, Said>()
  for (const { partyId, errorInformation } of list) {
    const { partySubIdOrType, ...name } = partyId
    const reading = readParty(partySubIdOrType === '' ? name : { ...name, partySubIdOrType })
    if (reading.type !== 'PARTY') continue
    const detail = errorInformation?.errorDescription
    said.set(
      partyKey(reading.party),
      detail === undefined ? { type: 'DONE' } : { type: 'REFUSED', detail },
    )
  }
  return said
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
