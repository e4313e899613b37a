/**
 * The credentials of a sandbox FSP, read from the files in its settings; an error names what is
 * missing.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { readSigning, type Signing, type Tls, type TokenOptions } from '@causeway/fsp'
import { readPem, StartError } from '@causeway/process'
import type { Settings } from './settings.ts'

export interface Credentials {
  /** Undefined: the hub is called over plain HTTP. */
  readonly tls: Tls | undefined
  /** Undefined: callbacks arrive over plain HTTP. */
  readonly callbackTls:
    | { readonly certificate: string; readonly key: string; readonly ca: string }
    | undefined
  readonly token: TokenOptions | undefined
  /** Undefined: messages are neither signed nor verified. */
  readonly signing: Signing | undefined
  /** Derives its fulfilments; stays the same across restarts as long as the signing key does. */
  readonly secret: Buffer
}

const prefixes = {
  greenbank: 'SANDBOX_GREENBANK',
  bluewallet: 'SANDBOX_BLUEWALLET',
  amberpay: 'SANDBOX_AMBERPAY',
  lemonpay: 'SANDBOX_LEMONPAY',
} as const

/** Throws StartError for a missing setting and an unreadable file. */
export async function readCredentials(
  name: keyof typeof prefixes,
  settings: Settings,
): Promise<Credentials> {
  const prefix = prefixes[name]
  const identity = settings.SANDBOX_IDENTITY
  const caFile = settings.SANDBOX_TLS_CA_FILE
  const certificateFile = settings[`${prefix}_TLS_CERTIFICATE_FILE`]
  const isCertified = identity === 'mtls' || certificateFile !== undefined
  const ca =
    isCertified || caFile !== undefined ? await readPem('SANDBOX_TLS_CA_FILE', caFile) : undefined
  const own =
    ca !== undefined && isCertified
      ? {
          certificate: await readPem(`${prefix}_TLS_CERTIFICATE_FILE`, certificateFile),
          key: await readPem(`${prefix}_TLS_KEY_FILE`, settings[`${prefix}_TLS_KEY_FILE`]),
          ca,
        }
      : undefined
  const clientId = settings[`${prefix}_CLIENT_ID`]
  const clientSecret = settings[`${prefix}_CLIENT_SECRET`]
  const hasClient = clientId !== undefined && clientSecret !== undefined
  if (identity === 'token' && !hasClient) {
    throw new StartError(`${prefix}_CLIENT_ID or ${prefix}_CLIENT_SECRET is not set.`)
  }
  return {
    tls: identity === 'mtls' ? own : ca === undefined ? undefined : { ca },
    callbackTls: own,
    token: identity === 'token' && hasClient ? { clientId, clientSecret } : undefined,
    ...(await readSigningKey(`${prefix}_SIGNING_KEY_FILE`, settings)),
  }
}

async function readSigningKey(
  name: `${(typeof prefixes)[keyof typeof prefixes]}_SIGNING_KEY_FILE`,
  settings: Settings,
): Promise<Pick<Credentials, 'signing' | 'secret'>> {
  if (settings.SANDBOX_SIGNING === 'off') return { signing: undefined, secret: randomBytes(32) }
  const pem = await readPem(name, settings[name])
  const secret = createHmac('sha256', pem).update('fulfilments').digest()
  try {
    return { signing: await readSigning(pem), secret }
  } catch (error) {
    throw new StartError(`${name}: ${error instanceof Error ? error.message : String(error)}.`)
  }
}
