/** Converts bodies of messages to payloads of events. */
import type { ErrorInformation, ExtensionList } from '@causeway/fspiop'
import type * as wire from '@causeway/fspiop'

type WireExtensionList = wire.ExtensionList | undefined

/** The member of a payload, or nothing. */
/** The FSP that a message is for, where its sender names one. */
export function destinationOf({ destination }: { readonly destination: string | undefined }): {
  destinationFspId?: string
} {
  return destination === undefined ? {} : { destinationFspId: destination }
}

export function extensionListOf(list: WireExtensionList): { extensionList?: ExtensionList } {
  if (list === undefined) return {}
  return {
    extensionList: { extension: list.extension.map(({ key, value }) => ({ key, value })) },
  }
}

export function errorInformationOf(error: {
  readonly errorCode: string
  readonly errorDescription: string
  readonly extensionList?: WireExtensionList
}): ErrorInformation {
  const { errorCode, errorDescription, extensionList } = error
  return { errorCode, errorDescription, ...extensionListOf(extensionList) }
}
