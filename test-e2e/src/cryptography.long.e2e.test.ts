/**
 * The cryptography of the hub as an operator and a component of the operator use it: keys are defined,
 * made and used, each call under a privilege of its own, and the FSP port changes its certificate.
 */
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { CompactEncrypt } from 'jose'
import { createCipheriv, createPublicKey, randomUUID, X509Certificate } from 'node:crypto'
import { connect } from 'node:tls'
import { answered, personWith, type Operator } from './operator/operator.ts'
import { openHub } from './hub/scheme.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')

let hub: Awaited<ReturnType<typeof openHub>>
let operator: Operator

beforeAll(async () => {
  hub = await openHub({ TLS_RENEWAL_MS: '200' })
  operator = hub.operator
})

afterAll(() => hub.stop())

function post<Body>(path: string, body: unknown, by = operator): Promise<Body> {
  return answered<Body>(by.call('POST', path, body))
}

/** '200', or status and error code of a refusal. */
async function outcomeOf(path: string, body: unknown, by = operator): Promise<string> {
  const { status, json } = await by.call('POST', path, body)
  const { errorInformation } = (json ?? {}) as { errorInformation?: { errorCode: string } }
  return errorInformation === undefined ? String(status) : `${status} ${errorInformation.errorCode}`
}

async function define(usage: string, type: string): Promise<string> {
  const definition = { label: `${type} to ${usage}`, usage, type }
  const { keyDefinitionId } = await post<{ keyDefinitionId: string }>(
    '/kms-key-definition',
    definition,
  )
  return keyDefinitionId
}

async function newKey(usage: string, type: 'AES' | 'EC'): Promise<string> {
  const keyDefinitionId = await define(usage, type)
  const path = type === 'AES' ? '/kms-aes-key-gen' : '/kms-ecc-key-gen'
  const { keyId } = await post<{ keyId: string }>(path, {
    keyDefinitionId,
    ...(type === 'AES' ? { bits: 256 } : { curve: 'P-256' }),
  })
  return keyId
}

describe('keys and what is done with them', () => {
  test('A text is encrypted and decrypted; a modified one, and a key for something else, is refused', async () => {
    const keyId = await newKey('ENCRYPT', 'AES')
    const aad = base64('account 7')
    const text = await post<Record<'ciphertext' | 'iv' | 'tag' | 'keyId', string>>('/encrypt', {
      keyId,
      plaintext: base64('a secret'),
      aad,
    })
    expect(await post('/decrypt', { ...text, aad })).toEqual({ plaintext: base64('a secret') })
    expect(await outcomeOf('/decrypt', { ...text, aad: base64('account 8') })).toBe('400 3000')
    expect(await outcomeOf('/signature-gen', { keyId, data: aad })).toBe('400 3000')
    expect(await outcomeOf('/encrypt', { keyId: randomUUID(), plaintext: aad })).toBe('404 3200')
    expect(await outcomeOf('/encrypt', { keyId, plaintext: '§' })).toBe('400 3101')
  })

  test('A signature of the hub verifies at the hub, and not over another text', async () => {
    const keyId = await newKey('SIGN', 'EC')
    const { signature, algorithm } = await post<Record<'signature' | 'algorithm', string>>(
      '/signature-gen',
      { keyId, data: base64('a message') },
    )
    const asked = { keyId, algorithm, signature }
    const verdicts = ['a message', 'another'].map((text) =>
      post('/signature-ver', { ...asked, data: base64(text) }),
    )
    expect(await Promise.all(verdicts)).toEqual([{ valid: true }, { valid: false }])
  })

  test('The same request makes one key, and the list shows it without its material', async () => {
    const keyDefinitionId = await define('ENCRYPT', 'AES')
    const request = { requestId: randomUUID(), keyDefinitionId, bits: 128 }
    const made = await post<{ keyId: string; kcv: string }>('/kms-aes-key-gen', request)
    expect(await post('/kms-aes-key-gen', request)).toEqual(made)
    const { definitions } = await answered<{
      definitions: { keyDefinitionId: string; keys: object[] }[]
    }>(operator.call('GET', '/kms-keys'))
    const listed = definitions.find((each) => each.keyDefinitionId === keyDefinitionId)
    expect(listed?.keys).toMatchObject([{ ...made, publicKey: null, adapter: 'NODE' }])
  })

  test('Hashes and random numbers are answered in the form that was asked for', async () => {
    expect(await post('/hash-gen', { data: base64('abc'), algorithm: 'SHA-256' })).toEqual({
      // FIPS 180-2, appendix B.1.
      hash: Buffer.from(
        'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
        'hex',
      ).toString('base64'),
      algorithm: 'SHA-256',
    })
    const asked = { purpose: 'SECRET', byteLength: 32, encoding: 'hex' }
    const [one, two] = [
      await post<{ value: string }>('/random-number-gen', asked),
      await post<{ value: string }>('/random-number-gen', asked),
    ]
    expect(one.value).toMatch(/^[\da-f]{64}$/)
    expect(two.value).not.toBe(one.value)
  })

  /** Loads a key of another party: encrypted for a key of the hub that only wraps. */
  async function load(type: 'AES' | 'TDES', plain: string): Promise<string> {
    const { keyId: wrappingKeyId, publicKey } = await post<Record<'keyId' | 'publicKey', string>>(
      '/kms-ecc-key-gen',
      { keyDefinitionId: await define('WRAP', 'EC'), curve: 'P-256' },
    )
    const wrappedKey = await new CompactEncrypt(Buffer.from(plain, 'hex'))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM' })
      .encrypt(createPublicKey(publicKey))
    const keyDefinitionId = await define('PIN', type)
    const request = { keyDefinitionId, wrappedKey, wrappingKeyId }
    return (await post<{ keyId: string }>('/kms-load-key', request)).keyId
  }

  test('A PIN block goes from the AES key of one party to the TDES key of another and back', async () => {
    const aes = await load('AES', '00112233445566778899aabbccddeeff')
    const tdes = await load('TDES', '0123456789abcdeffedcba9876543210')
    const pan = '1234567890123456789'
    // PIN 1234 in format 4, as test vectors of this key have it.
    const pinBlock = '28B41FDDD29B743E93124BD8E32D921E'
    const there = { format: 4, targetFormat: 0, sourceKeyId: aes, targetKeyId: tdes, pan }
    const translated = await post<{ pinBlock: string }>('/pin-translation', { ...there, pinBlock })
    expect(translated).toEqual({ pinBlock: underTdes('04124c6fedcba987'), format: 0 })
    const back = { format: 0, targetFormat: 4, sourceKeyId: tdes, targetKeyId: aes, pan }
    const again = await post<{ pinBlock: string }>('/pin-translation', {
      ...back,
      ...asBlock(translated),
    })
    expect(await post('/pin-translation', { ...there, ...asBlock(again) })).toEqual(translated)
    const other = { ...there, pinBlock, pan: '1234567890123450000' }
    expect(await outcomeOf('/pin-translation', other)).toBe('400 3000')
    const wrong = { ...there, pinBlock, sourceKeyId: await newKey('ENCRYPT', 'AES') }
    expect(await outcomeOf('/pin-translation', wrong)).toBe('400 3000')
  })

  const asBlock = ({ pinBlock }: { readonly pinBlock: string }) => ({ pinBlock })

  function underTdes(block: string): string {
    const key = Buffer.from('0123456789abcdeffedcba9876543210', 'hex')
    const cipher = createCipheriv('des-ede-ecb', key, null).setAutoPadding(false)
    const bytes = [cipher.update(Buffer.from(block, 'hex')), cipher.final()]
    return Buffer.concat(bytes).toString('hex').toUpperCase()
  }
})

describe('who may do what', () => {
  test('Each call needs its own privilege, and its use of keys is in the audit log', async () => {
    await answered(
      operator.call('PUT', '/roles/vault', {
        labelName: 'Vault',
        privileges: ['RUN_ENCRYPT', 'VIEW_KMS_KEYS'],
      }),
    )
    const vault = await personWith(operator, hub.urls.operator, 'vault-cryptography', ['vault'])
    const keyId = await newKey('ENCRYPT', 'AES')
    expect(await outcomeOf('/encrypt', { keyId, plaintext: base64('x') }, vault)).toBe('200')
    const refused = ['/decrypt', '/hash-gen', '/kms-key-definition', '/crypto-adapter-set'].map(
      (path) => outcomeOf(path, {}, vault),
    )
    expect(await Promise.all(refused)).toEqual(Array(4).fill('403 3000'))
    const { entries } = await eventually(async () => {
      const page = await answered<{ entries: object[] }>(
        operator.call('GET', `/audit?subject=keys/${keyId}`),
      )
      return page.entries.length > 0 ? page : undefined
    }, 'the key is in the audit log')
    expect(entries).toMatchObject([{ actionType: 'GenerateAesKey', signatureValid: true }])
  })

  test('An adapter without an HSM is refused, and the other one stays', async () => {
    expect(await outcomeOf('/crypto-adapter-set', { adapter: 'PKCS11' })).toBe('400 3000')
    expect(await post('/crypto-adapter-set', { adapter: 'NODE' })).toMatchObject({
      active: 'NODE',
      available: ['NODE'],
    })
  })
})

describe('the certificate of the FSP port', () => {
  const host = 'fsp-port.cryptography.example'

  /** The certificate that the port shows to a client that names the host. */
  function shownTo(servername: string): Promise<string> {
    const { hostname, port } = new URL(hub.urls.fsp)
    return new Promise((resolve, reject) => {
      const socket = connect(
        { host: hostname, port: Number(port), servername, rejectUnauthorized: false },
        () => {
          resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? '')
          socket.destroy()
        },
      )
      socket.once('error', reject)
    })
  }

  test('The port shows a new certificate for a host without a restart, and to other clients the old one', async () => {
    const before = await shownTo(host)
    for (let turn = 0; turn < 2; turn += 1) {
      const { keyId, certificatePem } = await post<{ keyId: string; certificatePem: string }>(
        '/kms-pem-gen',
        {
          keyDefinitionId: await define('TLS', 'EC'),
          subject: { commonName: host },
          hosts: [host],
        },
      )
      await post('/ssl-terminate', { host, keyId, certificatePem })
      const { fingerprint256 } = new X509Certificate(certificatePem)
      await eventually(
        async () => (await shownTo(host)) === fingerprint256 || undefined,
        'the port shows the new certificate',
      )
    }
    expect(await shownTo('other.cryptography.example')).toBe(before)
  })

  test('A certificate of another key or host is refused', async () => {
    const keyDefinitionId = await define('TLS', 'EC')
    const subject = { commonName: host }
    const made = await post<{ keyId: string; certificatePem: string }>('/kms-pem-gen', {
      keyDefinitionId,
      subject,
      hosts: [host],
    })
    const otherKey = await newKey('TLS', 'EC')
    const { certificatePem } = made
    const outcomes = [
      { host, keyId: otherKey, certificatePem },
      { host: 'other.example', keyId: made.keyId, certificatePem },
      { host, keyId: made.keyId, certificatePem: 'none' },
    ].map((body) => outcomeOf('/ssl-terminate', body))
    expect(await Promise.all(outcomes)).toEqual(['400 3100', '400 3100', '400 3100'])
  })
})
