/**
 * PIN blocks of ISO 9564-1. Formats 0, 1 and 3 are blocks of 8 bytes for TDES, format 4 has two fields of
 * 16 bytes for AES. What is encrypted is the PIN field, combined with the field of the account number.
 */

export const pinFormats = [0, 1, 3, 4] as const
export type PinFormat = (typeof pinFormats)[number]

export function isPinFormat(format: number): format is PinFormat {
  return (pinFormats as readonly number[]).includes(format)
}

const pinForm = /^\d{4,12}$/
const panForm = /^\d{12,19}$/

/** Format 1 has no account number. */
export function needsPan(format: PinFormat): boolean {
  return format !== 1
}

export function isPan(text: string): boolean {
  return panForm.test(text)
}

export function cipherOf(format: PinFormat): 'AES' | 'TDES' {
  return format === 4 ? 'AES' : 'TDES'
}

/**
 * Format 1 does not name the card, so a block may leave it, but none may become one: the tie to the
 * account would be lost. ISO 9564-1, translation between formats.
 */
export function mayTranslate(from: PinFormat, to: PinFormat): boolean {
  return to !== 1 || from === 1
}

/** The account number as it is combined with the PIN field; zeros for format 1. */
export function panFieldOf(format: PinFormat, pan: string): Buffer {
  if (format === 1) return Buffer.alloc(8)
  if (format === 4) {
    const digits = `${pan.length - 12}${pan}`
    return Buffer.from(digits.padEnd(32, '0'), 'hex')
  }
  // The 12 digits before the check digit.
  return Buffer.from(pan.slice(0, -1).slice(-12).padStart(16, '0'), 'hex')
}

/** @param random 16 bytes, of which the format takes those that it needs. */
export function pinFieldOf(format: PinFormat, pin: string, random: Buffer): Buffer {
  const begun = `${format}${pin.length.toString(16)}${pin}`
  const nibbles = random.toString('hex')
  switch (format) {
    case 0:
      return Buffer.from(begun.padEnd(16, 'f'), 'hex')
    case 1:
      return Buffer.from(`${begun}${nibbles}`.slice(0, 16), 'hex')
    case 3: {
      // Nibbles from A to F.
      const filler = [...random].map((byte) => (10 + (byte % 6)).toString(16)).join('')
      return Buffer.from(`${begun}${filler}`.slice(0, 16), 'hex')
    }
    case 4:
      return Buffer.from(`${begun.padEnd(16, 'a')}${nibbles.slice(0, 16)}`, 'hex')
  }
}

/** The PIN in a decrypted field; undefined if it is not a field of the format. */
export function pinIn(format: PinFormat, field: Buffer): string | undefined {
  const text = field.toString('hex')
  const length = Number.parseInt(text.charAt(1), 16)
  const pin = text.slice(2, 2 + length)
  const filler = text.slice(2 + length, 16)
  const isField = text.startsWith(String(format)) && pin.length === length && pinForm.test(pin)
  return isField && fillers[format].test(filler) ? pin : undefined
}

const fillers: Readonly<Record<PinFormat, RegExp>> = {
  0: /^f*$/,
  1: /^[\da-f]*$/,
  3: /^[a-f]*$/,
  4: /^a*$/,
}
