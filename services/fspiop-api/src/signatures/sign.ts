/** The hub's signature on the messages that it creates. FSPIOP (Signature) 3. */
import { openSigningKey, type SigningKey, type Token } from '@causeway/keys/provider'
import { readPublicKey, signatureHeader } from '@causeway/fspiop'
import { StartError } from '@causeway/process'

/** The value of FSPIOP-Signature over the hub's headers and the body. */
export type Sign = (headers: Readonly<Record<string, string>>, body: Buffer) => Promise<string>

interface HubKey {
  readonly sign: Sign
  readonly publicJwk: object
  /** In milliseconds since 1970. */
  readonly signsFrom_ms: number
}

export interface HubKeys {
  /** Signs with the key whose time has come last. */
  readonly sign: Sign
  /** The entries in `/.well-known/jwks.json`: of every key, before, while and after it signs. */
  readonly publicJwks: readonly object[]
}

/**
 * Every process switches to the next key at the same time, which the setting names, so that no FSP
 * receives a signature of a key that some process does not publish yet.
 *
 * @param list PEM files or `pkcs11:object=LABEL`, separated by commas; each but the first is
 *   followed by the time from which it signs: `old.pem,new.pem@2030-01-01T00:00:00Z`. A comma within
 *   a path is written `\\,`.
 * @param token Undefined: there is no HSM.
 * @throws {StartError} when there is no such key or it cannot sign, or a time is missing or not
 *   later than the one before.
 */
export async function openHubKeys(
  list: string,
  setting: string,
  now_ms: () => number,
  token?: Token,
): Promise<HubKeys> {
  const keys: HubKey[] = []
  for (const part of list.split(/(?<!\\),/)) {
    const entry = part.replaceAll('\\,', ',')
    const { file, signsFrom_ms } = entryOf(entry.trim(), setting, keys.at(-1)?.signsFrom_ms)
    const key = await openSigningKey(token, setting, file)
    keys.push({ ...(await hubKeyOf(key, setting)), signsFrom_ms })
  }
  return {
    publicJwks: keys.map(({ publicJwk }) => publicJwk),
    async sign(headers, body) {
      const now = now_ms()
      const current = keys.findLast(({ signsFrom_ms }) => signsFrom_ms <= now)
      if (current === undefined) throw new Error('the first key signs from the beginning')
      return current.sign(headers, body)
    },
  }
}

/** @param before The time of the entry before; undefined for the first. */
function entryOf(
  entry: string,
  setting: string,
  before: number | undefined,
): { readonly file: string; readonly signsFrom_ms: number } {
  if (before === undefined) return { file: entry, signsFrom_ms: 0 }
  const at = entry.lastIndexOf('@')
  const time = at === -1 ? '' : entry.slice(at + 1)
  if (!/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(time) || Number.isNaN(Date.parse(time))) {
    throw new StartError(
      `${setting}: ${entry} names no time from which it signs, FILE@TIME in UTC.`,
    )
  }
  const signsFrom_ms = Date.parse(time)
  if (signsFrom_ms <= before) {
    throw new StartError(`${setting}: the times of the keys are not in ascending order.`)
  }
  return { file: entry.slice(0, at), signsFrom_ms }
}

async function hubKeyOf(key: SigningKey, setting: string): Promise<Omit<HubKey, 'signsFrom_ms'>> {
  const publicJwk = key.publicKey.export({ format: 'jwk' })
  const reading = await readPublicKey(publicJwk, 'sig')
  if ('fault' in reading)
    throw new StartError(`${setting} holds a key that cannot sign: ${reading.fault}.`)
  const { thumbprint: kid } = reading
  const alg = key.algorithm === 'ES256' ? 'ES256' : 'RS256'
  return {
    publicJwk: { ...publicJwk, kid, use: 'sig', alg },
    sign: (headers, body) =>
      signatureHeader({
        alg,
        kid,
        key: key.privateKey ?? key.sign,
        method: headers['fspiop-http-method'] ?? '',
        uri: headers['fspiop-uri'] ?? '',
        source: headers['fspiop-source'] ?? '',
        destination: headers['fspiop-destination'],
        date: headers['date'] ?? '',
        body,
      }),
  }
}
