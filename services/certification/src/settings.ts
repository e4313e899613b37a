/** What a certification needs to know about the FSP under test, and what the kit uses itself. */
import type { VerificationKey } from '@causeway/fspiop'
import type { Signing } from '@causeway/fsp'
import type { KeyObject } from 'node:crypto'
import type { Trigger } from './trigger.ts'

export interface CertificationSettings {
  /** The name of the FSP under test in the scheme. */
  readonly fsp: string
  /** Where it takes messages, without a slash at the end. */
  readonly callbackUrl: string
  /** The source of messages that a hub makes itself. */
  readonly hubName: string
  /** The FSP or PISP that the kit acts as. */
  readonly counterparty: string
  /** A participant that has no part in any payment. */
  readonly stranger: string
  /** The auth service that the kit acts as. */
  readonly authService: string
  readonly currency: string
  /** A customer of the FSP under test, who can pay and be paid; undefined: it has none. */
  readonly party: { readonly type: string; readonly id: string } | undefined
  /** The FSP answers a transfer of this amount with RESERVED; undefined: it never does. */
  readonly reserveAmount: string | undefined
  /** A user of the FSP as a DFSP; undefined: the FSP is no DFSP. */
  readonly userId: string | undefined
  /** Where the DFSP lets a PISP's users return to. */
  readonly callbackUri: string
  /** Begins what the FSP does first; undefined: such cases are not run. */
  readonly trigger: Trigger | undefined

  /** The key of the hub, the counterparty and the auth service; undefined: nothing is signed. */
  readonly signing: Signing | undefined
  /** The keys that the FSP signs with; empty: its signatures are not verified. */
  readonly fspKeys: readonly VerificationKey[]
  /** The private key (RSA) that decrypts fields for the counterparty. */
  readonly encryptionKey: KeyObject | undefined
  /** The public key (RSA) that encrypts fields for the FSP. */
  readonly fspEncryptionKey: KeyObject | undefined
  /** For the connection to the FSP, in PEM. */
  readonly tls: Tls | undefined

  /** An answer of the FSP may take so long. */
  readonly answer_ms: number
  /** The FSP may wait so long before it asks again or sends again. */
  readonly silence_ms: number
  /** What must not happen is watched for so long. */
  readonly watch_ms: number
  /** So many cases run at the same time. */
  readonly parallel: number
}

/** The kit's certificate as a client and server, and the CA of the FSP's certificates. */
export interface Tls {
  readonly ca: string
  readonly certificate: string
  readonly key: string
}
