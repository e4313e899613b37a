/** How privileges and the versions of their sets are written. A file of its own: roles and operators use both. */

/** Whether a role may contain the text: a name, optionally with a star at its end. */
export function isPrivilegePattern(text: string): boolean {
  return text === '*' || /^[A-Z][A-Z0-9_]{0,62}(\*|[A-Z0-9])$/.test(text)
}

/** Compares semantic versions. */
export function isOlder(version: string, than: string): boolean {
  const [one, other] = [partsOf(version), partsOf(than)]
  for (const [index, part] of one.entries()) {
    const against = other[index] ?? 0
    if (part !== against) return part < against
  }
  return false
}

export function isVersion(text: string): boolean {
  return /^\d{1,6}\.\d{1,6}\.\d{1,6}$/.test(text)
}

function partsOf(version: string): readonly number[] {
  return version.split('.').map(Number)
}
