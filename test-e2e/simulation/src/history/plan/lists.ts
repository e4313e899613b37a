/**
 * The extension lists of messages, and whether the hub delivers them as they were sent: those of a transfer
 * always; of the results of a bulk those that fit into its share of the bound.
 */
import type { ExtensionList } from '@causeway/fspiop'

/** One extension, or as many and as long ones as FSPIOP permits, of characters that take most bytes. */
export type Lists = 'ONE' | 'LONGEST'

/** Who writes a list. */
export type Writer = 'PAYER' | 'PAYEE'

const extensions_max = 16
const key_max = 32
const value_max = 128
/** Characters that JSON writes with six bytes begin there. */
const firstControl = 0x0e
const controls = 18
/** What the lists of all results of a bulk may have together. */
const results_bytes_max = 3 * 2 ** 20

/** @param n lists with numbers that follow each other are different */
export function listOf(lists: Lists | undefined, writer: Writer, n = 0): ExtensionList | undefined {
  if (lists === undefined) return undefined
  if (lists === 'ONE') return { extension: [{ key: writer, value: `${n}` }] }
  const value = String.fromCharCode(firstControl + (n % controls)).repeat(value_max)
  const extension = Array.from({ length: extensions_max }, (_, at) => ({
    key: `${writer}${at}`.padEnd(key_max, String.fromCharCode(firstControl)),
    value,
  }))
  return { extension }
}

/** As members of a message. */
export function extended(list: ExtensionList | undefined): { extensionList?: ExtensionList } {
  return list === undefined ? {} : { extensionList: list }
}

/** Whether a result of a bulk of so many items has its list when the bulk ends. */
export function fitsBulk(list: ExtensionList | undefined, items: number): boolean {
  return Buffer.byteLength(JSON.stringify(list ?? '')) <= results_bytes_max / items
}

export function isSameList(one: ExtensionList | undefined, other: ExtensionList | undefined) {
  return JSON.stringify(one) === JSON.stringify(other)
}
