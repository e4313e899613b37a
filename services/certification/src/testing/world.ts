/** A kit and a reference FSP that speak with each other on this machine, both with all their keys. */
import { readSigning } from '@causeway/fsp'
import { generateKeyPairSync } from 'node:crypto'
import type { Case, CaseResult } from '../case.ts'
import { verifying } from '../options.ts'
import { openPeer } from '../peer.ts'
import { openReference, referenceFacts } from '../reference.ts'
import { runCases } from '../run.ts'
import type { CertificationSettings } from '../settings.ts'
import { type Breakage, openBreaking } from './breaking.ts'

const own = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const theirs = generateKeyPairSync('rsa', { modulusLength: 2_048 })

export interface CertificationWorld {
  readonly settings: CertificationSettings
  run(cases: readonly Case[]): Promise<readonly CaseResult[]>
  stop(): Promise<void>
}

export interface WorldOptions {
  readonly breakage?: Breakage
  /** Both sides sign, verify, and encrypt for each other; true when left out. */
  readonly signs?: boolean
  readonly settings?: Partial<CertificationSettings>
}

export async function openWorld(options: WorldOptions = {}): Promise<CertificationWorld> {
  const { breakage = {}, signs = true } = options
  const [signing, fspSigning] = await Promise.all([newSigning(), newSigning()])
  let callbackUrl = ''
  const peer = await openPeer({
    signing,
    tls: undefined,
    answer_ms: 30_000,
    host: '127.0.0.1',
    port: 0,
    callbackUrl: () => callbackUrl,
  })
  const breaking = await openBreaking(peer.url, breakage)
  const reference = await openReference({
    name: 'examinee',
    hubUrl: breaking.url,
    ...(signs
      ? {
          signing: fspSigning,
          kitKeys: [verifying(signing)],
          encryption: { key: theirs.privateKey, peerKey: () => own.publicKey },
        }
      : {}),
    resendAfter_ms: 300,
    around: breaking.around,
  })
  callbackUrl = await breaking.inFrontOf(reference.callbackUrl)
  const settings: CertificationSettings = {
    ...referenceFacts,
    fsp: 'examinee',
    callbackUrl,
    hubName: 'Hub',
    counterparty: 'certifier',
    stranger: 'stranger',
    authService: 'centralAuth',
    signing: signs ? signing : undefined,
    fspKeys: signs ? [verifying(fspSigning)] : [],
    encryptionKey: signs ? own.privateKey : undefined,
    fspEncryptionKey: signs ? theirs.publicKey : undefined,
    tls: undefined,
    trigger: (asked) => breaking.report(reference.trigger(asked)),
    answer_ms: 10_000,
    silence_ms: 10_000,
    watch_ms: 3_000,
    parallel: 30,
    ...options.settings,
  }
  return {
    settings,
    run: (cases) => runCases(cases, settings, peer),
    async stop() {
      await reference.stop()
      await breaking.stop()
      await peer.stop()
    },
  }
}

async function newSigning() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return readSigning(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
}
