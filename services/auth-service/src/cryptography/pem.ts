/**
 * A key pair for a server, or for a client that the scheme certifies elsewhere: with a certificate
 * request, and for a server with a certificate of the scheme's CA. It certifies servers alone, so that no
 * such certificate identifies an FSP or a service.
 */
import { certifyServer, makeCsrOf, type Ca, type HostNames } from '@causeway/pki'
import { isIP } from 'node:net'
import { refuse, type RefusedCommand } from '../domain/refusal.ts'
import { makeKey, type KeyParts, type KeyRequest, type MadeKey } from './keys.ts'
import type { ManagedKey } from './store.ts'

export interface PemParts extends KeyParts {
  /** Undefined if this hub issues no certificates. */
  readonly readCa: (() => Promise<Ca>) | undefined
  readonly life_ms: number
}

export interface PemRequest extends KeyRequest {
  readonly commonName: string
  /** Undefined: none. */
  readonly organization: string | undefined
  readonly hosts: readonly string[]
}

const curve = 'P-256'
const earlier_ms = 300_000
const hosts_max = 20
const nameForm = /^[^\p{Cc}]{1,64}$/u

export async function generatePem(
  parts: PemParts,
  request: PemRequest,
): Promise<ManagedKey | RefusedCommand> {
  const { commonName, organization, hosts } = request
  const names = namesOf(hosts)
  if (!nameForm.test(commonName) || (organization !== undefined && !nameForm.test(organization))) {
    return refuse('INVALID', 'names of the subject must have 1 to 64 characters')
  }
  if (hosts.length > hosts_max) return refuse('INVALID', `at most ${hosts_max} hosts`)
  const subject = { commonName, organization }
  return makeKey(parts, request, {
    action: 'GeneratePem',
    types: ['EC'],
    asked: [commonName, organization ?? '', ...hosts],
    async make(provider, named): Promise<MadeKey | RefusedCommand> {
      if (named.usage !== 'TLS') return refuse('KEY_USAGE_WRONG', 'its definition must be for TLS')
      const { publicKey, ...key } = provider.newPair({ ...named, curve })
      const sign = async (bytes: Buffer) => derOf(await provider.sign(key, bytes))
      try {
        const csr = await makeCsrOf({ subject, names, publicKey, sign })
        const certificate = await certified(parts, csr, subject, names)
        return { key, publicKey, csr, ...(certificate === undefined ? {} : { certificate }) }
      } catch (error) {
        provider.remove(key)
        if (error instanceof RangeError) return refuse('INVALID', error.message)
        throw error
      }
    },
  })
}

async function certified(
  { readCa, life_ms }: PemParts,
  request: string,
  subject: Parameters<typeof certifyServer>[1]['subject'],
  names: HostNames,
): Promise<string | undefined> {
  if (readCa === undefined || names.dns.length + names.ip.length === 0) return undefined
  const now_ms = Date.now()
  const validity = { from: new Date(now_ms - earlier_ms), to: new Date(now_ms + life_ms) }
  return certifyServer(await readCa(), { request, subject, names, validity })
}

function namesOf(hosts: readonly string[]): HostNames {
  return {
    dns: hosts.filter((host) => isIP(host) === 0).map((host) => host.toLowerCase()),
    ip: hosts.filter((host) => isIP(host) !== 0),
  }
}

/** r and s as X.509 has them: a SEQUENCE of two INTEGERs. RFC 3279 2.2.3. */
function derOf(signature: Buffer): Buffer {
  const half = signature.length / 2
  const parts = [signature.subarray(0, half), signature.subarray(half)].map(integer)
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.of(0x30, body.length), body])
}

function integer(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0)
  const digits = bytes.subarray(first)
  const positive = digits.readUInt8(0) < 0x80 ? digits : Buffer.concat([Buffer.of(0), digits])
  return Buffer.concat([Buffer.of(0x02, positive.length), positive])
}
