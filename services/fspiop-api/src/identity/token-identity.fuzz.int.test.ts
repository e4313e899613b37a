/** Tokens that are almost valid: none of them is an identity, and none is a fault of the hub. */
import { changedText } from '@causeway/fuzzing'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { authWith, openTokenIssuer, type TokenIssuer } from '../testing/auth.ts'
import { id, message, withHeaders } from '../testing/messages.ts'
import { openWorld, send, summary, type EdgeWorld } from '../testing/world.ts'

const query = message('GET', `/transfers/${id}`)

let issuer: TokenIssuer
let world: EdgeWorld
beforeAll(async () => {
  issuer = await openTokenIssuer('t-1')
  world = await openWorld({ EDGE_IDENTITY: 'token' }, { authOf: authWith(issuer) })
})
afterAll(() => world.stop())

async function ask(token: string): Promise<string> {
  const authorization = `Bearer ${token}`
  return summary(await send(world.edge.url, withHeaders(query, { authorization })))
}

test('A token that is changed anywhere is no identity, and no fault of the hub', async () => {
  const token = await issuer.token()
  const changed = changedText([token]).map((text) => text.replaceAll(/[^\t -~]/g, ''))
  await fc.assert(
    fc.asyncProperty(changed, async (text) => {
      // The last character of the signature has bits that mean nothing.
      if (text.trim().slice(0, -1) === token.slice(0, -1)) return
      expect(['401 3000', '400 3104']).toContain(await ask(text))
    }),
    { numRuns: 200 },
  )
  expect(await ask(token)).toBe('202')
})
