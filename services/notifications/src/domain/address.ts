/** Where a callback goes now, by what its FSP has registered since it was made. */
import { callbackAddress, type Operation } from '@causeway/fspiop'

/** Values by endpoint type. */
export type Endpoints = ReadonlyMap<string, string>

/** What an address was made of, so that it can be made again. */
export interface AddressParts {
  readonly operation: string
  readonly path: string
  readonly variables: Readonly<Record<string, string>>
}

/** The URL as it was when nothing is known, or nothing comes of what the FSP has registered. */
export function currentUrl(
  url: string,
  parts: AddressParts | undefined,
  endpoints: Endpoints | undefined,
): string {
  if (parts === undefined || endpoints === undefined) return url
  const { operation, path, variables } = parts
  return callbackAddress(endpoints, operation as Operation, path, variables) ?? url
}
