/** The definition of the test service, typed as the generator types the real ones. */
import type { ServiceDefinition } from '@grpc/grpc-js'
import { loadSync, type MethodDefinition } from '@grpc/proto-loader'
import { fileURLToPath } from 'node:url'

export interface TestItem {
  readonly id: string
  readonly amount: string
  readonly evidence: Buffer
  readonly version: string
  readonly detail: { readonly names: string[] } | null
  readonly refusal?: string
  readonly position?: number
  readonly result?: 'refusal' | 'position'
}

export interface Items {
  readonly items: readonly TestItem[]
  readonly actor?: string
  readonly approver?: string
}

type Method = MethodDefinition<Partial<Items>, Partial<Items>, Items, Items>

interface MirrorDefinition extends ServiceDefinition {
  readonly Reflect: Method
  readonly Other: Method
}

const file = fileURLToPath(new URL('./test-service.proto', import.meta.url))

export const mirrorService = loadSync(file, {
  longs: String,
  enums: String,
  defaults: true,
  oneofs: true,
})['causeway.test.v1.Mirror'] as unknown as MirrorDefinition

/** An item with every field filled in. */
export function item(n: number): TestItem {
  return {
    id: `item-${n}`,
    amount: `${n}12345678901234567.0001`,
    evidence: Buffer.from([0, n % 256, 255]),
    version: '9007199254740993',
    detail: n % 2 === 0 ? { names: ['a', 'b'] } : null,
    ...(n % 3 === 0
      ? { refusal: 'COVER_SHORT', result: 'refusal' }
      : { position: n, result: 'position' }),
  }
}
