import { createCipheriv, randomBytes } from 'node:crypto'
import { eventually } from '@causeway/process/testing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { openWorld, outcomeOf, type CryptographyWorld } from './testing/world.ts'

const refusals_max = 5
const none = Buffer.alloc(0)
const tdes = Buffer.from('0123456789abcdeffedcba9876543210', 'hex')
const pan = '43219876543210987'

let world: CryptographyWorld

beforeAll(async () => {
  world = await openWorld({}, { pinRefusals_max: refusals_max, keyUses_max: 40 })
}, 60_000)

afterAll(() => world.stop())

/** The last audit entry about the key, once there are so many of the action. */
function entry(keyId: string, action: string, count = 1) {
  return eventually(() => {
    const found = world.audited.filter(
      ({ actionType, subject: of }) => actionType === action && of === `keys/${keyId}`,
    )
    return found.length >= count ? found.at(-1) : undefined
  }, `${count} entries of ${action}`)
}

test('A signature and a decryption are audited with who, key and outcome, and without the data', async () => {
  const [signing, encrypting] = [
    await world.newKey('SIGN', 'EC'),
    await world.newKey('ENCRYPT', 'AES'),
  ]
  const data = Buffer.from('a text that is nowhere else')
  await world.calls.GenerateSignature({ keyId: signing, data, actor: 'eve' })
  const signed = await entry(signing, 'GenerateSignature')
  expect(signed).toMatchObject({ securityContext: { userId: 'eve' } })
  const text = await world.calls.Encrypt({ keyId: encrypting, plaintext: data, aad: none })
  const { ciphertext, iv, tag } = text
  const asked = { keyId: encrypting, ciphertext, iv, tag, aad: none, actor: 'eve' }
  expect((await world.calls.Decrypt(asked)).plaintext).toEqual(data)
  const read = await entry(encrypting, 'Decrypt')
  expect(outcomeOf(await world.calls.Decrypt({ ...asked, tag: Buffer.alloc(16) }))).toBe(
    'CIPHERTEXT_INVALID',
  )
  const refused = await entry(encrypting, 'Decrypt', 2)
  expect(refused).toMatchObject({
    actionSuccessful: false,
    labels: [{ key: 'fault', value: 'CIPHERTEXT_INVALID' }],
  })
  for (const form of ['utf8', 'base64', 'hex'] as const) {
    expect(JSON.stringify([signed, read, refused])).not.toContain(data.toString(form))
  }
})

describe('the translation of PINs', () => {
  function underTdes(block: string): Buffer {
    const cipher = createCipheriv('des-ede-ecb', tdes, null).setAutoPadding(false)
    return Buffer.concat([cipher.update(Buffer.from(block, 'hex')), cipher.final()])
  }

  /** A block of format 0 for the account number `pan`. */
  const published = underTdes('0412ac89abcdef67')

  async function openKey(actor: string) {
    const keyId = await world.load('PIN', 'TDES', tdes)
    return {
      keyId,
      translate: async (pinBlock: Buffer, of = pan) => {
        const formats = { sourceFormat: 0, targetFormat: 0 }
        const keys = { sourceKeyId: keyId, targetKeyId: keyId }
        return outcomeOf(
          await world.calls.TranslatePin({ pinBlock, ...formats, ...keys, pan: of, actor }),
        )
      },
    }
  }

  /** It has the digits of another account number before its check digit. */
  const otherPan = '43219876543211987'

  test('A block that was translated belongs to its account number', async () => {
    const { keyId, translate } = await openKey('ann')
    expect(await translate(published)).toBe('done')
    expect(await translate(published, otherPan)).toBe('PIN_BLOCK_INVALID')
    expect(await translate(published)).toBe('done')
    const refused = await entry(keyId, 'TranslatePin', 2)
    expect(refused).toMatchObject({ securityContext: { userId: 'ann' } })
    expect(JSON.stringify(refused)).not.toContain(otherPan)
  })

  test('A block that was not translated is tried three times', async () => {
    const { translate } = await openKey('ben')
    for (const digit of [1, 2, 3]) {
      expect(await translate(published, `4321987654${digit}999999`)).toBe('PIN_BLOCK_INVALID')
    }
    expect(await translate(published)).toBe('PIN_BLOCK_INVALID')
  })

  test('Refused blocks lock their key, at once with concurrent calls, until it is unlocked', async () => {
    const { keyId, translate } = await openKey('cat')
    const tried = await Promise.all(
      Array.from({ length: refusals_max + 3 }, () => translate(randomBytes(8))),
    )
    expect(tried.filter((outcome) => outcome === 'PIN_BLOCK_INVALID')).toHaveLength(refusals_max)
    expect(await translate(published)).toBe('KEY_LOCKED')
    const other = await openKey('dan')
    expect(await other.translate(published)).toBe('done')
    await world.keys.UnlockPinTranslation({ keyId, actor: 'grace' })
    expect(await entry(keyId, 'UnlockPinTranslation')).toMatchObject({
      securityContext: { userId: 'grace' },
    })
    expect(await translate(published)).toBe('done')
  })

  test('Refused blocks lock who sent them, also under other keys', async () => {
    const [one, two] = [await openKey('eli'), await openKey('eli')]
    for (let count = 0; count < refusals_max; count += 1) {
      await (count % 2 === 0 ? one : two).translate(randomBytes(8))
    }
    const third = await openKey('eli')
    expect(await third.translate(published)).toBe('KEY_LOCKED')
  })

  test('An unknown key cannot be unlocked', async () => {
    const unlock = { keyId: 'none', actor: 'grace' }
    expect(outcomeOf(await world.keys.UnlockPinTranslation(unlock))).toBe('KEY_UNKNOWN')
  })
})

test('A caller uses keys so many times in a minute', async () => {
  const keyId = await world.newKey('SIGN', 'EC')
  const outcomes = await Promise.all(
    Array.from({ length: 90 }, async () =>
      outcomeOf(await world.calls.GenerateSignature({ keyId, data: none, actor: 'zoe' })),
    ),
  )
  // Empty data is refused before it counts.
  expect(new Set(outcomes)).toEqual(new Set(['INVALID']))
  const data = Buffer.of(1)
  const counted = await Promise.all(
    Array.from({ length: 90 }, async () =>
      outcomeOf(await world.calls.GenerateSignature({ keyId, data, actor: 'zoe' })),
    ),
  )
  // A minute may end in between.
  const done = counted.filter((outcome) => outcome === 'done').length
  expect([40, 80]).toContain(done)
  expect(counted.filter((outcome) => outcome === 'BUSY')).toHaveLength(90 - done)
})
