/**
 * Makes keys, in the provider that is active. A key exists in the provider before its row is stored: a
 * process that stops between the two leaves a key in the HSM that nothing refers to.
 */
import { createHash, randomUUID, type KeyObject } from 'node:crypto'
import type { EventBus } from '@causeway/bus'
import {
  isKeyLength,
  type Adapter,
  type CryptoProvider,
  type Curve,
  type KeyUsage,
  type PrivateKey,
  type Secret,
} from '@causeway/keys/provider'
import type { Database } from '@causeway/postgres'
import { isRefused } from '@causeway/services'
import { refuse, type RefusedCommand } from '../domain/refusal.ts'
import { record } from '../record.ts'
import type { Adapters } from './adapters.ts'
import { reasonAgainstNewKey, type KeyDefinition, type KeyType } from './domain/managed-key.ts'
import { openJwe } from './jwe.ts'
import { definitionOf, insertKey, keyOfRequest, type ManagedKey } from './store.ts'
import { privateKeyOf, secretOf, usableKey } from './usable.ts'

export interface KeyParts {
  readonly db: Database
  readonly bus: EventBus
  readonly providers: Adapters
}

export interface KeyRequest {
  readonly requestId: string
  readonly definitionId: string
  readonly actor: string
}

/** A key of a provider, and what is stored beside it. */
export interface MadeKey {
  readonly key: Secret | PrivateKey
  /** Of pairs. */
  readonly publicKey?: KeyObject
  readonly csr?: string
  readonly certificate?: string
}

interface Making {
  /** In the audit log. */
  readonly action: string
  readonly types: readonly KeyType[]
  /** What was asked for, as text: another request may not have the same id. */
  readonly asked: readonly string[]
  make(
    provider: CryptoProvider,
    named: { readonly id: string; readonly label: string; readonly usage: KeyUsage },
    definition: KeyDefinition,
  ): MadeKey | RefusedCommand | Promise<MadeKey | RefusedCommand>
}

export async function makeKey(
  parts: KeyParts,
  request: KeyRequest,
  making: Making,
): Promise<ManagedKey | RefusedCommand> {
  const { db, providers } = parts
  const requestHash = hashOf([making.action, request.definitionId, ...making.asked])
  const known = await keyOfRequest(db, request.requestId)
  if (known !== undefined) return asBefore(known, requestHash)
  const definition = await definitionOf(db, request.definitionId)
  if (definition === undefined) {
    return refuse('KEY_DEFINITION_UNKNOWN', `key definition ${request.definitionId}`)
  }
  const refused = reasonAgainstNewKey(definition, making.types, new Date())
  if (refused !== undefined) return refused
  const provider = await providers.active(db)
  if (isRefused(provider)) return provider
  const { label, usage } = definition
  const made = await making.make(provider, { id: randomUUID(), label, usage }, definition)
  if (isRefused(made)) return made
  const row = rowOf(provider, made, { ...request, requestHash })
  const isNew = await store(parts, { ...request, action: making.action, definition }, row)
  if (isNew) return row
  // The same request was under way twice.
  provider.remove(made.key)
  return makeKey(parts, request, making)
}

function asBefore(known: ManagedKey, requestHash: Buffer): ManagedKey | RefusedCommand {
  return known.requestHash.equals(requestHash)
    ? known
    : refuse('MODIFIED', 'requestId was used with other content')
}

function hashOf(texts: readonly string[]): Buffer {
  return createHash('sha256').update(JSON.stringify(texts)).digest()
}

function rowOf(
  provider: CryptoProvider,
  { key, publicKey, csr, certificate }: MadeKey,
  { definitionId, actor, requestHash }: KeyRequest & { readonly requestHash: Buffer },
): ManagedKey {
  return {
    id: key.id,
    definitionId,
    requestHash,
    adapter: provider.adapter,
    material: key.material,
    curve: 'curve' in key ? key.curve : null,
    publicKey: publicKey?.export({ type: 'spki', format: 'pem' }).toString() ?? null,
    kcv: 'curve' in key ? null : provider.checkValue(key).toString('hex').toUpperCase(),
    csr: csr ?? null,
    certificate: certificate ?? null,
    createdAt: new Date(),
    createdBy: actor,
  }
}

function store(
  { db, bus }: KeyParts,
  {
    requestId,
    actor,
    action,
    definition: { id, label, usage, type },
  }: KeyRequest & { readonly action: string; readonly definition: KeyDefinition },
  row: ManagedKey,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (!(await insertKey(tx, requestId, row))) return false
    record(bus, tx, {
      actor,
      action,
      subject: `keys/${row.id}`,
      before: null,
      after: { keyDefinitionId: id, label, usage, type, adapter: row.adapter, kcv: row.kcv },
      at: row.createdAt,
    })
    return true
  })
}

const aesBits = [128, 192, 256]

export async function generateAesKey(
  parts: KeyParts,
  request: KeyRequest,
  bits: number,
): Promise<ManagedKey | RefusedCommand> {
  if (!aesBits.includes(bits)) return refuse('INVALID', 'bits must be 128, 192 or 256')
  return makeKey(parts, request, {
    action: 'GenerateAesKey',
    types: ['AES'],
    asked: [String(bits)],
    make: (provider, named) => ({ key: provider.newAesKey(named, bits) }),
  })
}

export async function generateEccKey(
  parts: KeyParts,
  request: KeyRequest,
  curve: Curve,
): Promise<ManagedKey | RefusedCommand> {
  return makeKey(parts, request, {
    action: 'GenerateEccKey',
    types: ['EC'],
    asked: [curve],
    make(provider, named) {
      if (named.usage === 'WRAP' && curve === 'Ed25519') {
        return refuse('KEY_USAGE_WRONG', 'a key on Ed25519 signs only')
      }
      const { publicKey, ...key } = provider.newPair({ ...named, curve })
      return { key, publicKey }
    },
  })
}

/** @param wrapped By an AES key: base64 (RFC 3394). By an EC key: a compact JWE of the key's bytes. */
export async function loadKey(
  parts: KeyParts,
  request: KeyRequest,
  wrapped: string,
  wrappingKeyId: string,
): Promise<ManagedKey | RefusedCommand> {
  return makeKey(parts, request, {
    action: 'LoadKey',
    types: ['AES', 'TDES'],
    asked: [wrappingKeyId, createHash('sha256').update(wrapped).digest('hex')],
    async make(provider, named, { type }) {
      const usable = await usableKey(parts, wrappingKeyId, 'UNWRAP')
      if (isRefused(usable)) return usable
      const { key: by } = usable
      if (provider.adapter !== by.adapter) return isElsewhere(by.adapter)
      const spec = { ...named, type: type === 'TDES' ? type : 'AES' } as const
      const key =
        by.curve === null
          ? provider.unwrapSecret(spec, Buffer.from(wrapped, 'base64'), secretOf(by))
          : imported(provider, spec, wrapped, privateKeyOf(by))
      return key === undefined
        ? refuse('CIPHERTEXT_INVALID', 'wrappedKey is not a key of this type, wrapped by that key')
        : { key }
    },
  })
}

function isElsewhere(adapter: Adapter): RefusedCommand {
  return refuse('ADAPTER_UNAVAILABLE', `the wrapping key is in ${adapter}, which is not active`)
}

function imported(
  provider: CryptoProvider,
  spec: Parameters<CryptoProvider['importSecret']>[0],
  jwe: string,
  by: PrivateKey,
): Secret | undefined {
  const plain = openJwe(jwe, by.curve, (peer) => provider.agree(by, peer))
  return plain !== undefined && isKeyLength(spec.type, plain.length)
    ? provider.importSecret(spec, plain)
    : undefined
}
