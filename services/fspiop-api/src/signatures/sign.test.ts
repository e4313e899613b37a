import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { openHubKeys } from './sign.ts'

const folder = mkdtempSync(join(tmpdir(), 'causeway-sign-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function keyFile(name: string): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const file = join(folder, 'keys, of "the" hub', name)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  return file.replaceAll(',', '\\,')
}

test('Keys lie in a folder whose name has a comma', async () => {
  const list = `${keyFile('old.pem')}, ${keyFile('new.pem')}@2030-01-01T00:00:00Z`
  const { publicJwks } = await openHubKeys(list, 'JWS_SIGNING_KEY_FILE', Date.now)
  expect(publicJwks).toMatchObject([{ alg: 'ES256' }, { alg: 'ES256' }])
})

test('A further key without the time from which it signs is refused', async () => {
  const list = `${keyFile('old.pem')},${keyFile('new.pem')}`
  await expect(openHubKeys(list, 'JWS_SIGNING_KEY_FILE', Date.now)).rejects.toThrow(
    /new\.pem names no time from which it signs, FILE@TIME in UTC\.$/,
  )
})
