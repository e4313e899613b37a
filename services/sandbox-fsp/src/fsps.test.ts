import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StartError } from '@causeway/process'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readFsps, usualFsps, type Fsps } from './fsps.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fsps-'))
})

afterAll(() => rmSync(folder, { recursive: true }))

function fromText(text: string, credentials?: string): Promise<Fsps> {
  const file = join(folder, 'fsps.json')
  writeFileSync(file, text)
  return readFsps({ SANDBOX_FSPS_FILE: file, SANDBOX_CREDENTIALS_DIR: credentials })
}

test('Without a file all four participants have the usual ports', async () => {
  expect(await readFsps({ SANDBOX_FSPS_FILE: undefined })).toEqual(usualFsps)
})

test('A participant that the file names without ports has the usual ones', async () => {
  const fsps = await fromText('{"greenbank":{},"bluewallet":{"port":5302}}')
  expect(fsps).toEqual({
    greenbank: { port: 4_301, callbackPort: 4_311 },
    bluewallet: { port: 5_302, callbackPort: 4_312 },
  })
})

test('Paths are relative to the file, and the folder of credentials supplies the other files', async () => {
  const text = '{"greenbank":{"keyFile":"own.key"},"bluewallet":{}}'
  const { greenbank, bluewallet } = await fromText(text, '/credentials')
  expect(greenbank.keyFile).toBe(join(folder, 'own.key'))
  expect(greenbank.certificateFile).toBe('/credentials/greenbank/tls.crt')
  expect(bluewallet.keyFile).toBe('/credentials/bluewallet/tls.key')
  expect(bluewallet.signingKeyFile).toBe('/credentials/bluewallet/signing.pem')
})

test.each([
  ['{"greenbank":{}}', 'bluewallet: '],
  ['{"greenbank":{"port":70000},"bluewallet":{}}', 'greenbank: port: '],
  ['{"greenbank":{"colour":"red"},"bluewallet":{}}', 'greenbank: Unrecognized key: "colour"'],
  ['{"greenbank":{},"bluewallet":{},"silverbank":{}}', 'Unrecognized key: "silverbank"'],
  ['{', 'JSON'],
])('The error about %s names the file and the member', async (text, sentence) => {
  const reading = fromText(text)
  await expect(reading).rejects.toThrow(StartError)
  await expect(reading).rejects.toThrow(`SANDBOX_FSPS_FILE (${join(folder, 'fsps.json')}): `)
  await expect(reading).rejects.toThrow(sentence)
})

test('The error about a file that does not exist names it', async () => {
  const file = join(folder, 'missing.json')
  await expect(readFsps({ SANDBOX_FSPS_FILE: file })).rejects.toThrow(`SANDBOX_FSPS_FILE (${file})`)
})
