/**
 * What the FSP does after the hub's answer to its message: 503 is tried again with the same message;
 * 3xx, 4xx and 501 are not; codes that the API does not list count as the first of their class.
 */
import { randomUUID } from 'node:crypto'
import type { Case } from '../case.ts'
import { describe, type Kit } from '../kit.ts'
import type { Draft } from '../message.ts'
import type { Reply, ReceivedRequest } from '../peer.ts'
import { ensure } from '../read.ts'
import { askForQuote, isQuoteAnswer, newQuote } from '../counterparts/payer.ts'
import { payKit } from '../counterparts/payee.ts'

const error = (errorCode: string) => ({
  errorInformation: { errorCode, errorDescription: 'Certification' },
})

/** An address of its own, since cases run side by side. */
function redirection() {
  const path = `/redirected/${randomUUID()}`
  return { path, reply: { status: 302, headers: { location: path } } }
}

/** Answers the first of them so, or all of them. */
function answering(
  reply: Reply,
  matches: (message: ReceivedRequest) => boolean,
  times: 'ONCE' | 'ALWAYS',
) {
  let left = times === 'ONCE' ? 1 : Infinity
  return (message: ReceivedRequest) => {
    if (!matches(message) || left === 0) return undefined
    left -= 1
    return reply
  }
}

/** POST /quotes of the FSP is answered so, and must not come again. */
async function refuseQuote(kit: Kit, reply: Exclude<Reply, 'RESET'>): Promise<void> {
  const payment = await payKit(kit, { reply: answering(reply, isPostQuotes, 'ALWAYS') })
  const first = await payment.quoteRequest()
  await kit.expectNone(
    `second POST /quotes after ${reply.status}`,
    (message) => message !== first && payment.isQuote(message),
  )
}

const isPostQuotes = ({ method, path: at }: ReceivedRequest) =>
  method === 'POST' && at === '/quotes'

/** The FSP's PUT /quotes is answered so, and must not come again. */
async function refuseAnswer(kit: Kit, reply: Exclude<Reply, 'RESET'>): Promise<void> {
  const quote = newQuote(kit)
  const matches = isQuoteAnswer(quote)
  kit.reply(matches, () => reply)
  await askForQuote(kit, quote)
  const first = await kit.expect('PUT /quotes/{ID}', matches)
  await kit.expectNone(
    `second PUT /quotes/{ID} after ${reply.status}`,
    (message) => message !== first && matches(message),
  )
}

/** The first POST /transfers of the FSP is answered so, and must come again. */
async function expectTransferAgain(kit: Kit, reply: Reply): Promise<void> {
  const isTransfer = ({ method, path }: ReceivedRequest) =>
    method === 'POST' && path === '/transfers'
  const payment = await payKit(kit, { reply: answering(reply, isTransfer, 'ONCE') })
  const first = await payment.transferRequest()
  const second = await kit.expect(
    'the same POST /transfers again',
    (message) => message !== first && payment.isTransfer(message),
    kit.settings.silence_ms,
  )
  ensure(second.body.equals(first.body), `the same content: ${describe(first)}`, describe(second))
}

const section = 'FSPIOP 3.2.4'

export const retries: readonly Case[] = [
  {
    id: 'payer-redirect',
    title: 'A request that is answered with 302 is neither sent again nor sent elsewhere',
    role: 'payer',
    section,
    async run(kit) {
      const { path, reply } = redirection()
      await refuseQuote(kit, reply)
      await kit.expectNone('request to the address of the redirection', (m) => m.path === path)
    },
  },
  {
    id: 'payer-400',
    title: 'A request that is answered with 400 is not sent again',
    role: 'payer',
    section,
    run: (kit) => refuseQuote(kit, { status: 400, body: error('3100') }),
  },
  {
    id: 'payer-501',
    title: 'A request that is answered with 501 is not sent again',
    role: 'payer',
    section,
    run: (kit) => refuseQuote(kit, { status: 501, body: error('2002') }),
  },
  {
    id: 'payer-unlisted-4xx',
    title: 'A code 4xx that the API does not list counts as 400',
    role: 'payer',
    section,
    run: (kit) => refuseQuote(kit, { status: 418 }),
  },
  {
    id: 'payer-503',
    title: 'A request that is answered with 503 is sent again with the same id and content',
    role: 'payer',
    section,
    run: (kit) => expectTransferAgain(kit, { status: 503, body: error('2003') }),
  },
  {
    id: 'payer-no-answer',
    title: 'A request that gets no answer is sent again with the same id and content',
    role: 'payer',
    section: 'FSPIOP 3.2.5',
    run: (kit) => expectTransferAgain(kit, 'RESET'),
  },
  {
    id: 'payer-unlisted-2xx',
    title: 'A code 2xx that the API does not list counts as 202',
    role: 'payer',
    section,
    async run(kit) {
      const later: Draft[] = []
      const payment = await payKit(kit, {
        reply: answering({ status: 204 }, isPostQuotes, 'ALWAYS'),
        onQuote(_payee, usual) {
          later.push(usual)
          return []
        },
      })
      const first = await payment.quoteRequest()
      // Its answer must not overtake the code that is judged.
      await kit.expectNone(
        'second POST /quotes after 204',
        (message) => message !== first && payment.isQuote(message),
      )
      for (const draft of later) await kit.send(draft)
      await payment.transferRequest()
    },
  },
  {
    id: 'payee-redirect',
    title: 'A callback that is answered with 302 is neither sent again nor sent elsewhere',
    role: 'payee',
    section,
    async run(kit) {
      const { path, reply } = redirection()
      await refuseAnswer(kit, reply)
      await kit.expectNone('request to the address of the redirection', (m) => m.path === path)
    },
  },
  {
    id: 'payee-501',
    title: 'A callback that is answered with 501 is not sent again',
    role: 'payee',
    section,
    run: (kit) => refuseAnswer(kit, { status: 501, body: error('2002') }),
  },
  {
    id: 'payee-503',
    title: 'A callback that is answered with 503 is sent again with the same content',
    role: 'payee',
    section,
    async run(kit) {
      const quote = newQuote(kit)
      const matches = isQuoteAnswer(quote)
      kit.reply(matches, answering({ status: 503, body: error('2003') }, matches, 'ONCE'))
      await askForQuote(kit, quote)
      const first = await kit.expect('PUT /quotes/{ID}', matches)
      const second = await kit.expect(
        'PUT /quotes/{ID} again after 503',
        (message) => message !== first && matches(message),
        kit.settings.silence_ms,
      )
      ensure(
        second.body.equals(first.body),
        `the same content: ${describe(first)}`,
        describe(second),
      )
    },
  },
]
