/**
 * The one text of a JSON value (RFC 8785). Hashes are computed over it, and every body that this side
 * makes and signs is it: a receiver that verifies the signature over the bytes accepts it, and so does
 * one that parses the body and serializes it again with sorted members, as Mojaloop's SDK does.
 */

const escapedPattern = /["\\\u0000-\u001f\ud800-\udfff]/

/**
 * Members sorted by name (UTF-16 order) at every depth, no white space; arrays keep their order. A
 * member that is undefined is left out, as `JSON.stringify` does.
 */
export function canonicalJson(json: unknown): string {
  if (typeof json === 'string') return quoted(json)
  if (typeof json !== 'object' || json === null) return JSON.stringify(json)
  if (Array.isArray(json)) return `[${json.map(canonicalJson).join()}]`
  const members = json as Readonly<Record<string, unknown>>
  let text = '{'
  for (const name of Object.keys(members).sort()) {
    const member = members[name]
    if (member === undefined) continue
    if (text.length > 1) text += ','
    text += `${quoted(name)}:${canonicalJson(member)}`
  }
  return `${text}}`
}

/** Few texts need an escape, and the check costs less than `JSON.stringify`. */
function quoted(text: string): string {
  return escapedPattern.test(text) ? JSON.stringify(text) : `"${text}"`
}
