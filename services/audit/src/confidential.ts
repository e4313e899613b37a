/**
 * Confidential members of an entry, named by its maker: labels, and members of the state before and
 * after, are encrypted before the entry is chained, each bound to its entry and its name.
 */
import type { Seal } from '@causeway/keys/provider'
import type { AuditPayload } from '@causeway/events'

/** The setting whose key encrypts, as entries name it. */
const encryptionKeyId = 'AUDIT_SECRETS_KEY'

interface Encrypted {
  readonly encryptionKeyId: string
  /** Base64url. */
  readonly encrypted: string
}

/** Unchanged where nothing is confidential, or no key is set. */
export function encryptedEntry(entry: AuditPayload, seal: Seal | undefined): AuditPayload {
  const names = new Set(entry.confidential)
  if (seal === undefined || names.size === 0) return entry
  const encrypt = (plain: string, name: string) =>
    seal.encrypt(Buffer.from(plain), contextOf(entry, name)).toString('base64url')
  return {
    ...entry,
    labels: entry.labels.map((label) =>
      names.has(label.key)
        ? { ...label, value: encrypt(label.value, label.key), encryptionKeyId }
        : label,
    ),
    before: mapped(entry.before, names, (value, name) => ({
      encryptionKeyId,
      encrypted: encrypt(JSON.stringify(value), name),
    })),
    after: mapped(entry.after, names, (value, name) => ({
      encryptionKeyId,
      encrypted: encrypt(JSON.stringify(value), name),
    })),
  }
}

/** A member that no key decrypts stays as it is. */
export function decryptedEntry(entry: AuditPayload, seal: Seal | undefined): AuditPayload {
  const names = new Set(entry.confidential)
  if (seal === undefined || names.size === 0) return entry
  const decrypt = (encrypted: string, name: string) =>
    seal.decrypt(Buffer.from(encrypted, 'base64url'), contextOf(entry, name))?.toString()
  const plainOf = (value: unknown, name: string): unknown => {
    const plain = isEncrypted(value) ? decrypt(value.encrypted, name) : undefined
    return plain === undefined ? value : JSON.parse(plain)
  }
  return {
    ...entry,
    labels: entry.labels.map(({ encryptionKeyId: keyId, ...label }) => {
      if (keyId === undefined) return label
      const value = decrypt(label.value, label.key)
      return value === undefined ? { ...label, encryptionKeyId: keyId } : { ...label, value }
    }),
    before: mapped(entry.before, names, plainOf),
    after: mapped(entry.after, names, plainOf),
  }
}

function contextOf({ id }: AuditPayload, name: string): string {
  return `audit/${id}/${name}`
}

function mapped(
  state: AuditPayload['before'],
  names: ReadonlySet<string>,
  change: (value: unknown, name: string) => unknown,
): AuditPayload['before'] {
  if (state === null) return null
  return Object.fromEntries(
    Object.entries(state).map(([name, value]) => [
      name,
      // Nothing is hidden by the absence of a value.
      names.has(name) && value !== null && value !== undefined ? change(value, name) : value,
    ]),
  )
}

function isEncrypted(value: unknown): value is Encrypted {
  return (
    typeof value === 'object' &&
    value !== null &&
    'encrypted' in value &&
    typeof value.encrypted === 'string'
  )
}
