/** Why settlements refuses a command: values, never exceptions. */
import { refuse, type RefusedBy } from '@causeway/services'

export { refuse }

export type RefusedCommand = RefusedBy<'settlements'>

/** Free text of an operator. */
const text_length_max = 512

/** Undefined when the text is valid. */
export function textFault(name: string, text: string): RefusedCommand | undefined {
  if (text.length > text_length_max) {
    return refuse('INVALID', `${name} has at most ${text_length_max} characters`)
  }
  return text.includes('\u0000') ? refuse('INVALID', `${name} contains a NUL character`) : undefined
}

/** Undefined when the id is valid. */
export function requestIdFault(requestId: string): RefusedCommand | undefined {
  const fits = /^[\x21-\x7e]{1,64}$/.test(requestId)
  return fits ? undefined : refuse('INVALID', 'requestId has 1 to 64 visible characters')
}
