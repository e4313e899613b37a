import { expect, test } from '@jest/globals'
import { fileURLToPath } from 'node:url'
import { readOptions } from './options.ts'

const own = ['--fsp', 'greenbank', '--callback', 'http://127.0.0.1:4301/']

test('An FSP without further options is tested one case at a time, with time for a network', async () => {
  const { settings, port, isReference } = await readOptions(own)
  expect({ port, isReference }).toEqual({ port: 4400, isReference: false })
  expect(settings).toMatchObject({
    fsp: 'greenbank',
    callbackUrl: 'http://127.0.0.1:4301',
    parallel: 1,
    silence_ms: 60_000,
    party: undefined,
    trigger: undefined,
    signing: undefined,
  })
})

test('The reference FSP needs no address', async () => {
  expect(await readOptions(['--fsp', 'reference'])).toMatchObject({ isReference: true, port: 0 })
})

test('A report is published where it is wanted, with the token of a file or without one', async () => {
  const published = [...own, '--publish', 'https://hub.example:4100/']
  const token = fileURLToPath(import.meta.url)
  expect(await readOptions(own)).toMatchObject({ publishing: undefined })
  expect(await readOptions(published)).toMatchObject({
    publishing: { url: 'https://hub.example:4100', tokenFile: undefined },
  })
  expect(await readOptions([...published, '--token-file', token])).toMatchObject({
    publishing: { url: 'https://hub.example:4100', tokenFile: token },
  })
})

test.each([
  ['no FSP', [], '--fsp NAME'],
  ['no address', ['--fsp', 'greenbank'], '--callback URL'],
  ['an unknown option', [...own, '--quiet'], '--quiet'],
  ['a role that is none', [...own, '--role', 'hub'], '--role: hub is none of payer'],
  ['a party without an id', [...own, '--party', 'MSISDN'], '--party: MSISDN is not TYPE/ID'],
  ['a number that is none', [...own, '--port', 'x'], '--port: x is not a number'],
  ['a file that is not there', [...own, '--signing-key', '/none.pem'], '--signing-key: /none.pem'],
  ['a token without a hub', [...own, '--token-file', '/none'], '--token-file: it belongs to'],
  ['a hub that is no URL', [...own, '--publish', 'hub:4100'], '--publish: hub:4100 is not'],
  [
    'a token that cannot be read',
    [...own, '--publish', 'http://hub.example', '--token-file', '/none'],
    '--token-file: /none cannot be read',
  ],
  ['a certificate alone', [...own, '--tls-ca', '/none.pem'], 'belong together'],
])('The command refuses %s', async (_what, parameters, message) => {
  await expect(readOptions(parameters)).rejects.toThrow(message)
})
