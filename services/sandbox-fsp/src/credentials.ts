/**
 * The credentials of a sandbox FSP, read from the files of its entry; an error names what is missing.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { readSigning, type Signing, type Tls, type TokenOptions } from '@causeway/fsp'
import { readPem, StartError } from '@causeway/process'
import { memberName, type FspEntry, type ParticipantName } from './fsps.ts'
import type { SandboxFspSettings } from './settings.ts'

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

/** Throws StartError for a missing member and an unreadable file. */
export async function readCredentials(
  name: ParticipantName,
  entry: FspEntry,
  settings: SandboxFspSettings,
): Promise<Credentials> {
  const pem = (member: keyof FspEntry & `${string}File`) =>
    readPem(memberName(name, member), entry[member])
  const identity = settings.SANDBOX_IDENTITY
  const isCertified = identity === 'mtls' || entry.certificateFile !== undefined
  const ca = isCertified || entry.caFile !== undefined ? await pem('caFile') : undefined
  const own =
    ca !== undefined && isCertified
      ? { certificate: await pem('certificateFile'), key: await pem('keyFile'), ca }
      : undefined
  const { clientId, clientSecret } = entry
  const hasClient = clientId !== undefined && clientSecret !== undefined
  if (identity === 'token' && !hasClient) {
    const member = clientId === undefined ? 'clientId' : 'clientSecret'
    throw new StartError(`${memberName(name, member)} is not set.`)
  }
  return {
    tls: identity === 'mtls' ? own : ca === undefined ? undefined : { ca },
    callbackTls: own,
    token: identity === 'token' && hasClient ? { clientId, clientSecret } : undefined,
    ...(await readSigningKey(name, entry, settings)),
  }
}

async function readSigningKey(
  name: ParticipantName,
  { signingKeyFile }: FspEntry,
  settings: SandboxFspSettings,
): Promise<Pick<Credentials, 'signing' | 'secret'>> {
  if (settings.SANDBOX_SIGNING === 'off') return { signing: undefined, secret: randomBytes(32) }
  const member = memberName(name, 'signingKeyFile')
  const pem = await readPem(member, signingKeyFile)
  const secret = createHmac('sha256', pem).update('fulfilments').digest()
  try {
    return { signing: await readSigning(pem), secret }
  } catch (error) {
    throw new StartError(`${member}: ${error instanceof Error ? error.message : String(error)}.`)
  }
}
