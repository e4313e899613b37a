/**
 * Bodies with encrypted members. The hub decrypts none: it does not validate encrypted members, and
 * refuses a message that encrypts members the hub needs for routing and decisions. FSPIOP
 * (Encryption) 4.
 */
import { readEncryptionHeader } from './encryption-header.ts'
import { type Refusal, refusal } from '../errors.ts'
import type { Headers } from '../headers.ts'

/** The path of an encrypted member from the root of the body; indices of lists are decimal digits. */
export type EncryptedPath = readonly string[]

/** Members that the hub needs for routing and decisions, at any depth. */
const clearMembers = [
  'requestId',
  'transactionRequestId',
  'transactionId',
  'quoteId',
  'bulkQuoteId',
  'transferId',
  'bulkTransferId',
  'payerFsp',
  'payeeFsp',
  'fspId',
  'partyList',
  'amountType',
  'amount',
  'currency',
  'transferAmount',
  'condition',
  'fulfilment',
  'expiration',
  'completedTimestamp',
  'transferState',
  'bulkTransferState',
  'errorInformation',
  'consentRequestId',
  'consentId',
  'authorizationRequestId',
  'verificationRequestId',
  'status',
  'revokedAt',
  'responseType',
  'signedPayloadType',
  'credentialType',
  'transactionRequestState',
] as const

/** Lists whose elements have an id in clear: only members of an element can be encrypted. */
const clearLists = [
  'individualQuotes',
  'individualQuoteResults',
  'individualTransfers',
  'individualTransferResults',
  'providers',
] as const

type ClearMember = (typeof clearMembers)[number]

/**
 * The type of a body with encrypted members: those that must be in clear are unchanged, and so is an
 * extension list unless part of it is encrypted; all others may be absent.
 */
export type Clear<Value> = Value extends readonly (infer Item)[]
  ? readonly Clear<Item>[]
  : Value extends object
    ? {
        [Name in keyof Value]: Name extends ClearMember | 'extensionList'
          ? Value[Name]
          : Clear<Value[Name]> | undefined
      }
    : Value

/**
 * The encrypted paths that a message's headers list; none without FSPIOP-Encryption. Refusal 3101 when
 * that header is malformed, 3100 when it lists a member that must be in clear.
 */
export function readEncryptedPaths(
  headers: Headers,
): { readonly paths: readonly EncryptedPath[] } | Refusal {
  const header = headers['fspiop-encryption']
  if (header === undefined) return { paths: [] }
  const reading = readEncryptionHeader(typeof header === 'string' ? header : header.join(', '))
  if (!('fields' in reading)) return reading
  const hidden = reading.fields.find(({ fieldName }) => mustBeClear(fieldName.split('.')))
  if (hidden !== undefined) {
    return refusal('3100', `header fspiop-encryption: ${hidden.fieldName} must be in clear`)
  }
  return { paths: reading.fields.map(({ fieldName }) => fieldName.split('.')) }
}

const needed: ReadonlySet<string> = new Set(clearMembers)
const lists: ReadonlySet<string> = new Set(clearLists)

function mustBeClear(path: EncryptedPath): boolean {
  if (path.some((name) => needed.has(name))) return true
  const last = path.findLast((segment) => !indexPattern.test(segment))
  return last !== undefined && lists.has(last)
}

const indexPattern = /^\d+$/

/**
 * The listed path whose member is present and not a string, so cannot be ciphertext; `undefined` when
 * there is none. A path without a member is accepted: it excludes nothing from validation.
 */
export function unencryptedPath(
  json: object,
  paths: readonly EncryptedPath[],
): EncryptedPath | undefined {
  return paths.find((path) => {
    const member = memberAt(json, path)
    return member !== undefined && typeof member !== 'string'
  })
}

/** Whether the path is at or below an encrypted member that is present. */
export function coveredBy(
  json: object,
  paths: readonly EncryptedPath[],
): (path: readonly string[]) => boolean {
  const there = new Set(
    paths.filter((path) => memberAt(json, path) !== undefined).map((path) => path.join('.')),
  )
  return (path) => path.some((_, index) => there.has(path.slice(0, index + 1).join('.')))
}

function memberAt(json: object, path: EncryptedPath): unknown {
  let value: unknown = json
  for (const segment of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) {
      return undefined
    }
    if (Array.isArray(value) && !indexPattern.test(segment)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[segment]
  }
  return value
}

/**
 * A copy without the encrypted members; an extension list with any encrypted part is removed as a whole,
 * because the rest of it has no use.
 */
export function withoutEncrypted<Value>(
  value: Value,
  paths: readonly EncryptedPath[],
): Clear<Value> {
  const cut = paths.map((path) => {
    const list = path.indexOf('extensionList')
    return list < 0 ? path : path.slice(0, list + 1)
  })
  return without(value, cut) as Clear<Value>
}

/**
 * Copies only along the paths, each object and list once: everything else is shared with the received
 * body, which must not change.
 */
function without(value: unknown, paths: readonly EncryptedPath[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  const copy = (Array.isArray(value) ? value.slice() : { ...value }) as Record<string, unknown>
  for (const [segment, deeper] of bySegment(paths)) {
    if (!Object.hasOwn(copy, segment)) continue
    if (!Array.isArray(copy) && deeper.some((rest) => rest.length === 0)) delete copy[segment]
    else copy[segment] = without(copy[segment], deeper)
  }
  return copy
}

/** The rest of each path after its first segment, by that segment. */
function bySegment(paths: readonly EncryptedPath[]): ReadonlyMap<string, readonly EncryptedPath[]> {
  const groups = new Map<string, EncryptedPath[]>()
  for (const [segment, ...rest] of paths) {
    if (segment === undefined) continue
    const group = groups.get(segment)
    if (group === undefined) groups.set(segment, [rest])
    else group.push(rest)
  }
  return groups
}
