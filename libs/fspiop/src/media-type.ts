/**
 * The vendor media type in Content-Type and Accept: how it is written, parsed and negotiated. FSPIOP
 * 3.2.1, 3.3.4.
 */
import { type Refusal, refusal } from './errors.ts'
import type { Resource, ResourceRules, Version } from './resources.ts'

/** The agreed version, or the refusal when there is none. */
export type Negotiation =
  | { readonly agreed: true; readonly version: Version }
  | { readonly agreed: false; readonly refusal: Refusal }

/** Content-Type of every request and response, including empty ones. */
export function contentType(resource: Resource, version: Version): string {
  return `application/vnd.interoperability.${resource}+json;version=${version}`
}

const plainJson = 'application/json'
/** RFC 7396; published examples of PATCH /consents name it. */
const mergePatch = 'application/merge-patch+json'

/**
 * The version of an Accept header: the first supported entry is selected; for a major version alone, or
 * none, the hub selects the version. Entries that do not name the resource are ignored, with their
 * parameters, unless there is no other.
 */
export function negotiateAccept(
  header: string,
  resource: Resource,
  rules: ResourceRules,
): Negotiation {
  const named = header
    .split(',')
    .map((entry) => readTypeAndVersion(partsOf(entry), resource, rules))
    .filter((version) => version !== undefined)
  if (named.length === 0) {
    return refused(refusal('3101', `header accept: not ${typeName(resource)}`))
  }
  for (const version of named) {
    const agreed = choose(version, rules)
    if (agreed !== undefined) return { agreed: true, version: agreed }
  }
  return refused(unacceptable(unsupportedAccept, rules))
}

/** The version of a Content-Type header, which must be complete. A charset of UTF-8 is accepted. */
export function readContentType(
  header: string,
  resource: Resource,
  rules: ResourceRules,
): Negotiation {
  const whole = partsOf(header)
  const charset = whole.findIndex((part, at) => at > 0 && charsetPattern.test(part))
  const parts = charset < 0 ? whole : whole.toSpliced(charset, 1)
  if (rules.isThirdParty && isUnversioned(parts, resource)) {
    return { agreed: true, version: rules.currentVersion }
  }
  const version = readTypeAndVersion(parts, resource, rules)
  if (version?.minor === undefined) {
    const why = `header content-type: not ${typeName(resource)};version=<major>.<minor>`
    return refused(refusal('3101', isJson(header) ? why : unsupportedMediaType))
  }
  const agreed = choose(version, rules)
  if (agreed !== undefined) return { agreed: true, version: agreed }
  return refused(unacceptable(unsupportedContent, rules))
}

interface NamedVersion {
  readonly major: string | undefined
  readonly minor: string | undefined
}

const typePattern = /^application\/vnd\.interoperability\.([A-Za-z]+)\+json$/i
const versionPattern = /^version=(\d+)(?:\.(\d+))?$/i
const charsetPattern = /^charset="?utf-8"?$/i

/** The type and its parameters, trimmed. */
function partsOf(entry: string): string[] {
  return entry.split(';').map((part) => part.trim())
}

/** JSON that names neither resource nor version. */
function isUnversioned([type = '', ...others]: readonly string[], resource: Resource): boolean {
  if (others.length > 0) return false
  const name = type.toLowerCase()
  return name === plainJson || (resource === 'consents' && name === mergePatch)
}

/** `version` is the only parameter that a type may have. */
function readTypeAndVersion(
  [type = '', parameter, ...others]: readonly string[],
  resource: Resource,
  { isThirdParty }: ResourceRules,
): NamedVersion | undefined {
  const isPlain = isThirdParty === true && type.toLowerCase() === plainJson
  const word = typePattern.exec(type)?.[1]?.toLowerCase()
  const isNamed =
    word === resource.toLowerCase() || (isThirdParty === true && word === 'thirdparty')
  if (!isNamed && !isPlain) return undefined
  if (parameter === undefined) return { major: undefined, minor: undefined }
  const match = others.length === 0 ? versionPattern.exec(parameter) : null
  return match === null ? undefined : { major: match[1], minor: match[2] }
}

function choose({ major, minor }: NamedVersion, rules: ResourceRules): Version | undefined {
  const { currentVersion, versions } = rules
  if (major === undefined) return currentVersion
  if (minor !== undefined) return versions.find((version) => version === `${major}.${minor}`)
  if (currentVersion.startsWith(`${major}.`)) return currentVersion
  return versions.findLast((version) => version.startsWith(`${major}.`))
}

function typeName(resource: Resource): string {
  return `application/vnd.interoperability.${resource}+json`
}

function refused(why: Refusal): Negotiation {
  return { agreed: false, refusal: why }
}

/** Existing clients compare these sentences literally. */
const unsupportedAccept =
  'The Client requested an unsupported version, see extension list for supported version(s).'
const unsupportedContent = 'Client supplied a protocol version which is not supported by the server'
const unsupportedMediaType = 'Unsupported Media Type'

/** Whether a media type is JSON of any kind: its subtype is `json`, or ends in `+json`. */
function isJson(header: string): boolean {
  const end = header.indexOf(';')
  const type = (end < 0 ? header : header.slice(0, end)).trim().toLowerCase()
  return type.endsWith('/json') || type.endsWith('+json')
}

/** 406 with the supported versions: each an extension, major as key, minor as value. */
function unacceptable(sentence: string, { versions }: ResourceRules): Refusal {
  const extension = versions.map((version) => {
    const [key = '', value = ''] = version.split('.')
    return { key, value }
  })
  return { ...refusal('3001', sentence), extensionList: { extension } }
}
