/** Requests for cryptography from gRPC messages, and keys as messages. */
import {
  curves,
  signatureAlgorithms,
  type Curve,
  type SignatureAlgorithm,
} from '@causeway/keys/provider'
import {
  type CryptoAdapter,
  type KeyDefinition as DefinitionMessage,
  type ManagedKey as KeyMessage,
} from '@causeway/protos'
import { isRefused } from '@causeway/services'
import { timeMessage, timeOf } from '../contract.ts'
import { refuse, type RefusedCommand } from '../domain/refusal.ts'
import type { AdapterState } from './adapters.ts'
import type { DefinitionRequest } from './definitions.ts'
import type { KeyDefinition, KeyType, Usage } from './domain/managed-key.ts'
import { isPinFormat } from './domain/pin-block.ts'
import { hashAlgorithms, type HashAlgorithm } from './hash.ts'
import type { KeyRequest } from './keys.ts'
import type { Translation } from './operations.ts'
import type { ManagedKey } from './store.ts'

/** Of data that is signed, hashed, encrypted or decrypted. */
const data_bytes_max = 65_536
/** Of salt and of data that is authenticated and not encrypted. */
const extra_bytes_max = 1_024

export function faultOfData(
  data: Buffer,
  extra: Buffer = Buffer.alloc(0),
): RefusedCommand | undefined {
  if (data.length > data_bytes_max) {
    return refuse('INVALID', `data has at most ${data_bytes_max} bytes`)
  }
  return extra.length > extra_bytes_max
    ? refuse('INVALID', `salt and aad have at most ${extra_bytes_max} bytes`)
    : undefined
}

/** Of what is signed or encrypted: an HSM refuses an empty text. */
export function faultOfText(text: Buffer, extra?: Buffer): RefusedCommand | undefined {
  return text.length === 0
    ? refuse('INVALID', 'data has at least 1 byte')
    : faultOfData(text, extra)
}

/** What is signed: a text, or its digest. */
export type Signed = { readonly data: Buffer } | { readonly digest: Buffer }

export function signedOf({
  data,
  digest,
}: {
  readonly data?: Buffer | undefined
  readonly digest?: Buffer | undefined
}): Signed | RefusedCommand {
  if (data !== undefined && digest === undefined) return faultOfData(data) ?? { data }
  return data === undefined && digest !== undefined
    ? { digest }
    : refuse('INVALID', 'either data or digest')
}

function oneOf<const Option extends string>(
  name: string,
  options: readonly Option[],
  text: string,
): Option | RefusedCommand {
  const found = options.find((option) => option === text)
  return found ?? refuse('INVALID', `${name} must be one of ${options.join(', ')}`)
}

export function hashAlgorithmOf(text: string): HashAlgorithm | RefusedCommand {
  return oneOf('algorithm', hashAlgorithms, text)
}

export function signatureAlgorithmOf(text: string): SignatureAlgorithm | RefusedCommand {
  return oneOf('algorithm', signatureAlgorithms, text)
}

export function curveOf(text: string): Curve | RefusedCommand {
  return oneOf('curve', curves, text)
}

const requestIdForm = /^[\w.:-]{1,128}$/

export function keyRequestOf(message: {
  readonly requestId: string
  readonly keyDefinitionId: string
  readonly actor: string
}): KeyRequest | RefusedCommand {
  const { requestId, keyDefinitionId, actor } = message
  return requestIdForm.test(requestId)
    ? { requestId, definitionId: keyDefinitionId, actor }
    : refuse('INVALID', 'requestId must have 1 to 128 letters, digits or . _ : -')
}

export function definitionRequestOf(
  message: Readonly<Record<'requestId' | 'label' | 'actor', string>> & {
    readonly usage: Usage
    readonly type: KeyType
    readonly validFrom?: string | undefined
    readonly validTo?: string | undefined
  },
): DefinitionRequest | RefusedCommand {
  const { requestId, label, usage, type, actor } = message
  if (!requestIdForm.test(requestId)) {
    return refuse('INVALID', 'requestId must have 1 to 128 letters, digits or . _ : -')
  }
  const validFrom = timeOf('validFrom', message.validFrom, null)
  if (isRefused(validFrom)) return validFrom
  const validTo = timeOf('validTo', message.validTo, null)
  if (isRefused(validTo)) return validTo
  return { requestId, label, usage, type, validFrom, validTo, actor }
}

export function translationOf(message: {
  readonly pinBlock: Buffer
  readonly sourceFormat: number
  readonly targetFormat: number
  readonly sourceKeyId: string
  readonly targetKeyId: string
  readonly pan?: string | undefined
}): Translation | RefusedCommand {
  const { sourceFormat: from, targetFormat: to, pinBlock: block } = message
  const { sourceKeyId, targetKeyId, pan = '' } = message
  return isPinFormat(from) && isPinFormat(to)
    ? { block, from, to, sourceKeyId, targetKeyId, pan }
    : refuse('INVALID', 'formats must be 0, 1, 3 or 4')
}

export function keyMessage(key: ManagedKey): KeyMessage {
  return {
    keyId: key.id,
    keyDefinitionId: key.definitionId,
    adapter: key.adapter,
    ...(key.kcv === null ? {} : { kcv: key.kcv }),
    ...(key.publicKey === null ? {} : { publicKey: key.publicKey }),
    ...(key.csr === null ? {} : { csr: key.csr }),
    ...(key.certificate === null ? {} : { certificate: key.certificate }),
    createdAt: timeMessage(key.createdAt),
    createdBy: key.createdBy,
  }
}

export function definitionMessage(definition: KeyDefinition): DefinitionMessage {
  const { id, label, usage, type, validTo, createdBy } = definition
  return {
    keyDefinitionId: id,
    label,
    usage,
    type,
    validFrom: timeMessage(definition.validFrom),
    ...(validTo === null ? {} : { validTo: timeMessage(validTo) }),
    createdAt: timeMessage(definition.createdAt),
    createdBy,
  }
}

export function adapterMessage({ active, available, chosen }: AdapterState): CryptoAdapter {
  return {
    active,
    available: [...available],
    ...(chosen && { changedAt: timeMessage(chosen.changedAt), changedBy: chosen.changedBy }),
  }
}
