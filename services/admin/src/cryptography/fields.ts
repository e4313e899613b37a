/** The elements of requests for cryptography. auth-service judges what keys may do. */
import { z } from 'zod'
import { correlationId, word } from '../fields.ts'

/** Characters of 64 KiB in base64. */
const data_length_max = 87_384
const extra_length_max = 1_368

function base64(length_max: number) {
  return z
    .base64({ error: 'must be base64' })
    .max(length_max)
    .transform((text) => Buffer.from(text, 'base64'))
    .meta({ type: 'string', format: 'byte', description: 'Base64.' })
}

export const data = base64(data_length_max)
/** Salt, signature, and data that is authenticated and not encrypted. */
export const extra = base64(extra_length_max)

export function hexadecimal(length_max: number) {
  return z
    .string()
    .regex(/^([\dA-Fa-f]{2})+$/, { error: 'must be hexadecimal' })
    .max(length_max)
    .transform((text) => Buffer.from(text, 'hex'))
    .meta({ type: 'string', description: 'Hexadecimal.' })
}

export const keyId = word.max(64)

/** Chosen by the client, so that the same request can be sent again; generated when left out. */
export const requestId = correlationId.optional()

export const algorithm = z.enum(['ES256', 'ES384', 'EdDSA', 'RS256', 'PS256'])

export const shownBase64 = z.base64()
