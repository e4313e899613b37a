/** Reads a .proto file. Every contract is read with the options that its generated types assume. */
import { loadPackageDefinition } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { fileURLToPath } from 'node:url'

export function loadContract(file: string): unknown {
  const path = fileURLToPath(new URL(`../${file}`, import.meta.url))
  return loadPackageDefinition(
    loadSync(path, { longs: String, enums: String, defaults: true, oneofs: true }),
  )
}
