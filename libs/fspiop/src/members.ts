/**
 * The names of the members of a JSON text. JSON allows a name twice in one object, and JSON.parse keeps
 * the last value without a word. All functions take linear time.
 */

const quote = 0x22
const colon = 0x3a
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

/** The members of all objects of a valid JSON text: its colons outside of strings. */
export function membersIn(text: string): number {
  let members = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === colon) members += 1
    else if (code === quote) at = endOfString(text, at)
  }
  return members
}

/**
 * The path of the first member of a valid JSON text that its object has already, in this or another
 * case, such as "/amount/currency"; `undefined` when there is none.
 */
export function repeatedMember(text: string): string | undefined {
  const open: { readonly path: string; readonly names: Set<string> | undefined }[] = []
  let last = ''
  let path = ''
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    const around = open.at(-1)
    // The path of a member ends with its value, also in a list.
    const here = around !== undefined && around.names === undefined ? around.path : path
    if (code === openBrace) open.push({ path: here, names: new Set() })
    else if (code === openBracket) open.push({ path: here, names: undefined })
    else if (code === closeBrace || code === closeBracket) open.pop()
    else if (code === quote) {
      const end = endOfString(text, at)
      last = text.slice(at, end + 1)
      at = end
    } else if (code === colon) {
      const name = last.includes('\\') ? (JSON.parse(last) as string) : last.slice(1, -1)
      path = `${around?.path ?? ''}/${name}`
      const folded = fold(name)
      if (around?.names?.has(folded)) return path
      around?.names?.add(folded)
    }
  }
  return undefined
}

/**
 * The same of a text that was parsed. An object without objects in it mostly shows by the number of its members
 * that none is repeated, which costs a fifth.
 */
export function repeatedMemberOf(json: object, text: string): string | undefined {
  const names = Object.keys(json)
  const isEachOnce = membersIn(text) === names.length && confusable(names) === undefined
  return isEachOnce ? undefined : repeatedMember(text)
}

/** Two of these names that a parser which ignores case takes for one. */
export function confusable(names: readonly string[]): readonly [string, string] | undefined {
  if (names.length < 2) return undefined
  const known = new Map<string, string>()
  for (const name of names) {
    const folded = fold(name)
    const other = known.get(folded)
    if (other !== undefined) return [other, name]
    known.set(folded, name)
  }
  return undefined
}

/** To lower case and back: also the long s and the Kelvin sign, which have no lower case of their own. */
function fold(name: string): string {
  return name.toLowerCase().toUpperCase()
}

/** The position of the quotation mark that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1
  while (text.charCodeAt(before) === backslash) before -= 1
  return (at - before) % 2 === 0
}
