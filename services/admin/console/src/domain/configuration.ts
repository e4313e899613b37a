/** Configured values as text, and back. */

export type ParameterType = 'STRING' | 'BOOL' | 'INT_NUMBER' | 'FLOAT_NUMBER' | 'LIST' | 'OBJECT'

/** A value of a component as one row of its table. */
export interface ConfiguredValue {
  readonly name: string
  readonly type: ParameterType
  readonly description: string
  readonly defaultValue?: unknown
  readonly currentValue?: unknown
  readonly isSet: boolean
}

/** A text or a number as it is, yes or no, anything else as JSON. */
export function valueText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  return JSON.stringify(value)
}

/** The value that a person wrote; throws with a sentence when the text has another type. */
export function valueOf(type: ParameterType, text: string): unknown {
  switch (type) {
    case 'STRING':
      return text
    case 'BOOL':
      return text === 'on'
    case 'INT_NUMBER':
    case 'FLOAT_NUMBER': {
      const number = Number(text)
      if (text === '' || Number.isNaN(number)) throw new Error(`${text} is not a number.`)
      return number
    }
    case 'LIST':
    case 'OBJECT':
      try {
        return JSON.parse(text) as unknown
      } catch {
        throw new Error('The text is not JSON.')
      }
  }
}
