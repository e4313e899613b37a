/** POST /verify: `npm run verify` asks it of a running hub. */
import { answered } from '../answer.ts'
import type { Operation } from '../operation.ts'
import type { Deps } from '../upstream.ts'
import { verify } from './verify.ts'

export function verificationOperations(deps: Deps): readonly Operation[] {
  return [
    {
      method: 'POST',
      path: '/verify',
      body: null,
      run: async () => answered(200, { ...(await verify(deps)) }),
    },
  ]
}
