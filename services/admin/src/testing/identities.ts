/** The administration API with a CA for FSPs, and certificate requests of FSPs. */
import { makeCa } from '@causeway/pki'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openWorld, type ApiResponse, type AskedService, type AdminWorld } from './world.ts'
import { openScheme } from './scheme.ts'

/** With hub accounts and a settlement model, and a CA that is removed at the end. */
export async function openAdminOfFsps(asked: readonly AskedService[]): Promise<AdminWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-admin-'))
  const { certificate, key } = makeCa({
    subject: { commonName: 'Scheme CA', organization: 'Hub' },
    validity: { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 86_400_000) },
  })
  writeFileSync(join(folder, 'ca.pem'), certificate)
  writeFileSync(join(folder, 'ca.key'), key)
  const admin = await openWorld(asked, {
    AUTH_SERVICE_CA_CERTIFICATE_FILE: join(folder, 'ca.pem'),
    AUTH_SERVICE_CA_KEY_FILE: join(folder, 'ca.key'),
    NOTIFICATIONS_RETRY_FIRST_MS: '20',
    NOTIFICATIONS_RETRY_POLL_MS: '10',
  })
  await openScheme(admin)
  return {
    ...admin,
    async stop() {
      await admin.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

export function newKeyPair() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    pem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    jwk: publicKey.export({ format: 'jwk' }),
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    privateJwk: privateKey.export({ format: 'jwk' }),
  }
}

export function refusalOf({ status, json }: ApiResponse): string {
  const { errorInformation } = json as { errorInformation: { errorCode: string } }
  return `${status} ${errorInformation.errorCode}`
}

export const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
