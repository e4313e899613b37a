/**
 * The extension lists of a bulk's results are bounded over all of its items, so that its end, and every
 * answer that shows it, fits into one message of the API however the payee FSP has answered.
 */
import type { ErrorInformation, ExtensionList } from '@causeway/fspiop'

/**
 * As JSON. A message of the API has up to 5 MiB (FSPIOP 3.1), and 1,000 results without lists, however
 * their characters are escaped, take less than 1 MiB. Of 1,000 items each may have a list of the largest
 * size in ASCII.
 */
const extensions_bytes_max = 3 * 2 ** 20

/** A result that may have two lists: its own, and one in its error. */
interface Extended {
  readonly errorInformation?: ErrorInformation | undefined
  readonly extensionList?: ExtensionList | undefined
}

/** The part of the bound that one of as many items may use. */
export function share_bytes(items: number): number {
  return Math.floor(extensions_bytes_max / items)
}

/** The result without its lists if these have more bytes together. */
export function withinBytes<Result extends Extended>(result: Result, bytes_max: number): Result {
  return bytesOf(result) <= bytes_max ? result : withoutLists(result)
}

/** In their order; a result whose lists no longer fit into the bound of all has none. */
export function withinBound<Result extends Extended>(
  results: readonly Result[],
): readonly Result[] {
  let left_bytes = extensions_bytes_max
  return results.map((result) => {
    const bytes = bytesOf(result)
    if (bytes > left_bytes) return withoutLists(result)
    left_bytes -= bytes
    return result
  })
}

function bytesOf({ extensionList, errorInformation }: Extended): number {
  return listBytes(extensionList) + listBytes(errorInformation?.extensionList)
}

function listBytes(list: ExtensionList | undefined): number {
  return list === undefined ? 0 : Buffer.byteLength(JSON.stringify(list))
}

function withoutLists<Result extends Extended>(result: Result): Result {
  const { extensionList: _own, ...rest } = result
  if (result.errorInformation === undefined) return rest as Result
  const { errorCode, errorDescription } = result.errorInformation
  return { ...rest, errorInformation: { errorCode, errorDescription } } as Result
}
