import { errorInformation } from '@causeway/fspiop'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { randomBytes, randomUUID } from 'node:crypto'
import { agree, createFsp, type Fsp, type FspOptions, type PayeeDecision } from '../index.ts'
import type { PayeeOutcome, TransferOrder } from './outcome.ts'
import {
  callbackHeaders,
  openHubStandIn,
  type HubStandIn,
  type StandInRequest,
} from '../testing/hub-stand-in.ts'

const secret = randomBytes(32)
const amount = { currency: 'USD', amount: '10.5' }

let hub: HubStandIn
let opened: Fsp[]

beforeEach(async () => {
  hub = await openHubStandIn()
  opened = []
})

afterEach(async () => {
  await Promise.all(opened.map((fsp) => fsp.close()))
  await hub.stop()
})

function open(name: string, options: Partial<FspOptions> = {}): Fsp {
  const fsp = createFsp({
    name,
    hubUrl: hub.url,
    secret,
    resendAfter_ms: 20,
    margin_ms: 300,
    ...options,
  })
  opened.push(fsp)
  return fsp
}

function order(changes: Partial<TransferOrder> = {}): TransferOrder {
  const agreement = agree(secret, { payeeFsp: 'payeefsp', amount, data: Buffer.from('{}') })
  if (agreement === undefined) throw new Error('no agreement')
  const expiration = new Date(Date.now() + 10_000)
  return {
    transferId: randomUUID(),
    payeeFsp: 'payeefsp',
    amount,
    expiration,
    ...agreement,
    ...changes,
  }
}

/** The message as the hub relays it: the FSP's own headers; Accept on requests only. */
async function relay(to: Fsp, { method, path, headers, body }: StandInRequest): Promise<number> {
  const { accept, ...others } = headers
  const relayed = method === 'PUT' ? others : { accept, ...others }
  return (await to.receive({ method, target: path, headers: relayed, body })).status
}

async function deliver(
  to: Fsp,
  method: 'PUT' | 'PATCH',
  target: string,
  body: object,
  from?: string,
): Promise<number> {
  const headers = callbackHeaders(to.name, from)
  const bytes = Buffer.from(JSON.stringify(body))
  return (await to.receive({ method, target, headers, body: bytes })).status
}

async function post(to: Fsp, body: Buffer): Promise<number> {
  const headers = {
    ...callbackHeaders('payeefsp', 'payerfsp'),
    accept: 'application/vnd.interoperability.transfers+json;version=1.1',
  }
  return (await to.receive({ method: 'POST', target: '/transfers', headers, body })).status
}

const completedTimestamp = '2030-01-01T00:00:00.000Z'

function fulfilmentIn({ body }: StandInRequest): string {
  return (JSON.parse(body.toString()) as { fulfilment: string }).fulfilment
}

/** A hub that relays every message between the two, except those that the test drops. */
function connect(
  payer: Fsp,
  payee: Fsp,
  passes: (message: StandInRequest) => boolean = () => true,
): void {
  hub.onTaken((message) => {
    if (message.method === 'GET' || !passes(message)) return
    void relay(message.method === 'POST' ? payee : payer, message)
  })
}

describe('a transfer between two FSPs', () => {
  test('A transfer is committed, and both FSPs have sent all that the API requires', async () => {
    const payer = open('payerfsp')
    connect(payer, open('payeefsp'))
    const ordered = order({ extensions: [{ key: 'note', value: 'rent' }] })
    const result = await payer.transfer(ordered)
    expect(result).toMatchObject({ transferId: ordered.transferId, state: 'COMMITTED' })
    expect(result.ms).toBeGreaterThan(0)

    const [post, put] = hub.taken
    expect(post).toMatchObject({
      method: 'POST',
      path: '/transfers',
      headers: {
        accept: 'application/vnd.interoperability.transfers+json;version=1.1',
        'content-type': 'application/vnd.interoperability.transfers+json;version=1.1',
        'fspiop-source': 'payerfsp',
        'fspiop-destination': 'payeefsp',
      },
    })
    expect(JSON.parse(String(post?.body))).toEqual({
      transferId: ordered.transferId,
      payerFsp: 'payerfsp',
      payeeFsp: 'payeefsp',
      amount,
      ilpPacket: ordered.ilpPacket,
      condition: ordered.condition,
      expiration: ordered.expiration.toISOString(),
      extensionList: { extension: [{ key: 'note', value: 'rent' }] },
    })
    expect(put).toMatchObject({
      method: 'PUT',
      path: `/transfers/${ordered.transferId}`,
      headers: { 'fspiop-source': 'payeefsp', 'fspiop-destination': 'payerfsp' },
    })
    expect(put?.headers['accept']).toBeUndefined()
    expect(Date.parse(String(put?.headers['date']))).toBeGreaterThan(0)
    expect(Object.keys(JSON.parse(String(put?.body)) as object).sort()).toEqual([
      'completedTimestamp',
      'fulfilment',
      'transferState',
    ])
  })

  test('A transfer is aborted with the error of a payee that rejects it', async () => {
    const error = errorInformation('5104', 'not today')
    const payer = open('payerfsp')
    connect(payer, open('payeefsp', { onTransfer: () => ({ type: 'REJECT', error }) }))
    expect(await payer.transfer(order())).toMatchObject({ state: 'ABORTED', error })
  })

  test('A transfer is aborted when the payee FSP itself fails', async () => {
    const payer = open('payerfsp')
    const onTransfer = () => Promise.reject(new Error('the books are closed'))
    connect(payer, open('payeefsp', { onTransfer }))
    expect(await payer.transfer(order())).toMatchObject({
      state: 'ABORTED',
      error: { errorCode: '5000' },
    })
  })

  test.each([
    ['another amount', { amount: { currency: 'USD', amount: '11' } }],
    ['another condition', { condition: 'GRzLaTP7DJ9t4P-a_BA0WA9wzzlsugf00-Tn6kESAfM' }],
    ['a malformed packet', { ilpPacket: 'AAAA' }],
  ])('The payee FSP refuses a transfer with %s', async (_what, change) => {
    const decided: unknown[] = []
    const payer = open('payerfsp')
    const onTransfer = (transfer: unknown): PayeeDecision => {
      decided.push(transfer)
      return { type: 'COMMIT' }
    }
    connect(payer, open('payeefsp', { onTransfer }))
    expect(await payer.transfer(order(change))).toMatchObject({
      state: 'ABORTED',
      error: { errorCode: '5105' },
    })
    expect(decided).toEqual([])
  })
})

describe('the payer FSP', () => {
  test('The payer FSP asks the hub when the callback was lost, and accepts the answer', async () => {
    const payer = open('payerfsp')
    const payee = open('payeefsp')
    let put: StandInRequest | undefined
    hub.onTaken((message) => {
      if (message.method === 'POST') void relay(payee, message)
      if (message.method === 'PUT') put = message
      if (message.method !== 'GET' || put === undefined) return
      const body = { fulfilment: fulfilmentIn(put), completedTimestamp, transferState: 'COMMITTED' }
      void deliver(payer, 'PUT', message.path, body)
    })
    expect(await payer.transfer(order())).toMatchObject({ state: 'COMMITTED', completedTimestamp })
    expect(hub.taken.some(({ method }) => method === 'GET')).toBe(true)
  })

  test('The payer FSP waits while the hub answers RESERVED, and accepts ABORTED with its cause', async () => {
    const payer = open('payerfsp')
    const states = ['RECEIVED', 'RESERVED', 'ABORTED']
    hub.onTaken(({ method, path }) => {
      if (method !== 'GET') return
      const transferState = states.shift()
      const cause = { extension: [{ key: 'cause', value: '3303: Transfer expired' }] }
      void deliver(payer, 'PUT', path, {
        transferState,
        ...(transferState === 'ABORTED' ? { completedTimestamp, extensionList: cause } : {}),
      })
    })
    expect(await payer.transfer(order())).toMatchObject({
      state: 'ABORTED',
      error: { errorCode: '3303', errorDescription: 'Transfer expired' },
    })
    expect(states).toEqual([])
  })

  test('The payer FSP receives the timeout from the hub', async () => {
    const payer = open('payerfsp')
    hub.onTaken(({ method }) => {
      if (method !== 'POST') return
      const errorInformationSent = { errorInformation: errorInformation('3303') }
      void deliver(payer, 'PUT', `/transfers/${ordered.transferId}/error`, errorInformationSent)
    })
    const ordered = order()
    expect(await payer.transfer(ordered)).toMatchObject({
      state: 'ABORTED',
      error: { errorCode: '3303' },
    })
  })

  test('The result is UNRESOLVED when no final answer arrives until after the expiration', async () => {
    const payer = open('payerfsp', { margin_ms: 100 })
    hub.onTaken(({ method, path }) => {
      if (method !== 'GET') return
      void deliver(payer, 'PUT', `${path}/error`, { errorInformation: errorInformation('2001') })
    })
    const result = await payer.transfer(order({ expiration: new Date(Date.now() + 50) }))
    expect(result).toMatchObject({ state: 'UNRESOLVED', error: { errorCode: '2001' } })
  })

  test('A repeated callback is accepted without effect, also long after', async () => {
    const payer = open('payerfsp')
    const payee = open('payeefsp')
    const statuses: Promise<number>[] = []
    hub.onTaken((message) => {
      if (message.method === 'POST') void relay(payee, message)
      if (message.method !== 'PUT') return
      statuses.push(relay(payer, message), relay(payer, message))
    })
    expect(await payer.transfer(order())).toMatchObject({ state: 'COMMITTED' })
    expect(await Promise.all(statuses)).toEqual([200, 200])
  })

  test('The payer FSP rejects a commit without the right fulfilment, and any unrelated sender', async () => {
    const dropped: string[] = []
    const statuses: Promise<number>[] = []
    const onDropped: FspOptions['onDropped'] = (_method, _target, { errorDescription }) =>
      dropped.push(errorDescription)
    const payer = open('payerfsp', { onDropped })
    const payee = open('payeefsp')
    hub.onTaken((message) => {
      if (message.method === 'POST') void relay(payee, message)
      if (message.method !== 'PUT') return
      const right = { fulfilment: fulfilmentIn(message), transferState: 'COMMITTED' }
      const wrong = { ...right, fulfilment: 'UNlJ98hZTY_dsw0cAqw4i_UN3v4utt7CZFB4yfLbVFA' }
      statuses.push(
        deliver(payer, 'PUT', message.path, wrong, 'payeefsp'),
        deliver(payer, 'PUT', message.path, { transferState: 'COMMITTED' }),
        deliver(payer, 'PUT', message.path, right, 'strangerfsp'),
        deliver(payer, 'PUT', message.path, right, 'payeefsp'),
      )
    })
    expect(await payer.transfer(order())).toMatchObject({ state: 'COMMITTED' })
    expect(await Promise.all(statuses)).toEqual([400, 400, 400, 200])
    const why = [
      'COMMITTED without the fulfilment of the condition',
      'COMMITTED without the fulfilment of the condition',
      'strangerfsp is not a party to the transfer',
    ]
    expect(dropped).toEqual(why.map((each) => `Generic validation error - ${each}`))
  })

  test('The payer FSP sends the same bytes again when the hub has no capacity, and when the connection breaks', async () => {
    const replies: (503 | 'RESET' | 202)[] = [503, 'RESET', 202]
    hub.replyWith(({ method }) => (method === 'POST' ? (replies.shift() ?? 202) : 200))
    const payer = open('payerfsp', { resendAfter_ms: 5_000 })
    const payee = open('payeefsp')
    connect(payer, payee, ({ method }) => method !== 'POST' || replies.length === 0)
    expect(await payer.transfer(order())).toMatchObject({ state: 'COMMITTED' })
    const posts = hub.taken.filter(({ method }) => method === 'POST')
    expect(posts).toHaveLength(3)
    expect(new Set(posts.map(({ body }) => body.toString())).size).toBe(1)
    expect(new Set(posts.map(({ headers }) => headers['date'])).size).toBe(1)
  })

  test('A transfer ends at once when the hub refuses the message', async () => {
    const error = errorInformation('3102', 'header date')
    hub.replyWith(() => ({ status: 400, body: { errorInformation: error } }))
    expect(await open('payerfsp').transfer(order())).toMatchObject({
      state: 'REFUSED',
      status: 400,
      error,
    })
  })

  test('Closing the FSP ends its open transfers', async () => {
    const payer = open('payerfsp')
    const result = payer.transfer(order())
    await payer.close()
    expect(await result).toMatchObject({ state: 'UNRESOLVED' })
  })

  test('An id that is pending is refused', async () => {
    const payer = open('payerfsp')
    const ordered = order()
    const first = payer.transfer(ordered)
    await expect(payer.transfer(ordered)).rejects.toThrow('is pending already')
    await payer.close()
    await first
  })
})

describe('the payee FSP', () => {
  const outcomes: PayeeOutcome[] = []
  beforeEach(() => {
    outcomes.length = 0
  })

  function receivedByHub(count: number): Promise<readonly StandInRequest[]> {
    return new Promise((resolve) => {
      const look = () => {
        const puts = hub.taken.filter(({ method }) => method === 'PUT')
        if (puts.length >= count) resolve(puts)
      }
      hub.onTaken(look)
      look()
    })
  }

  function prepare(ordered: TransferOrder, changes: object = {}): Buffer {
    const { transferId, payeeFsp, ilpPacket, condition, expiration } = ordered
    return Buffer.from(
      JSON.stringify({
        transferId,
        payerFsp: 'payerfsp',
        payeeFsp,
        amount,
        ilpPacket,
        condition,
        expiration: expiration.toISOString(),
        ...changes,
      }),
    )
  }

  test('The payee FSP decides once and answers a repeat with the same bytes', async () => {
    let decided = 0
    const payee = open('payeefsp', {
      onTransfer: () => {
        decided += 1
        return { type: 'COMMIT' }
      },
    })
    const body = prepare(order())
    expect(await post(payee, body)).toBe(202)
    await receivedByHub(1)
    expect(await post(payee, body)).toBe(202)
    const [first, second] = await receivedByHub(2)
    expect(decided).toBe(1)
    expect(second?.body).toEqual(first?.body)
  })

  test('The payee FSP answers 3106 to the same id with other content', async () => {
    const payee = open('payeefsp')
    const ordered = order()
    await post(payee, prepare(ordered))
    await receivedByHub(1)
    const other = prepare(ordered, { expiration: '2031-01-01T00:00:00.000Z' })
    await post(payee, other)
    const [, second] = await receivedByHub(2)
    expect(second?.path).toBe(`/transfers/${ordered.transferId}/error`)
    expect(JSON.parse(String(second?.body))).toMatchObject({
      errorInformation: { errorCode: '3106' },
    })
  })

  test('The payee FSP sends its answer again, byte for byte, until the hub has it', async () => {
    const replies: (503 | 'RESET')[] = [503, 'RESET']
    hub.replyWith(() => replies.shift() ?? 200)
    await post(open('payeefsp'), prepare(order()))
    const puts = await receivedByHub(3)
    expect(new Set(puts.map(({ body }) => body.toString())).size).toBe(1)
  })

  test.each(['COMMITTED', 'ABORTED'] as const)(
    'A payee FSP that answered RESERVED receives %s by PATCH, once',
    async (transferState) => {
      const payee = open('payeefsp', {
        resendAfter_ms: 5_000,
        onTransfer: () => ({ type: 'RESERVE' }),
        onOutcome: (outcome) => outcomes.push(outcome),
      })
      const { transferId = '', ...ordered } = order()
      await post(payee, prepare({ transferId, ...ordered }))
      const [put] = await receivedByHub(1)
      expect(JSON.parse(String(put?.body))).toMatchObject({ transferState: 'RESERVED' })
      const patch = { transferState, completedTimestamp }
      expect(await deliver(payee, 'PATCH', `/transfers/${transferId}`, patch)).toBe(200)
      expect(await deliver(payee, 'PATCH', `/transfers/${transferId}`, patch)).toBe(200)
      expect(outcomes).toEqual([{ transferId, state: transferState, error: undefined }])
    },
  )

  test('A payee FSP that answered RESERVED sends the same PUT again when the PATCH was lost', async () => {
    const bodies: string[] = []
    const settled = new Promise<PayeeOutcome>((resolve) => {
      const payee = open('payeefsp', {
        onTransfer: () => ({ type: 'RESERVE' }),
        onOutcome: resolve,
      })
      hub.onTaken(({ method, path, body }) => {
        if (method !== 'PUT') return
        bodies.push(body.toString())
        if (bodies.length < 3) return
        void deliver(payee, 'PATCH', path, { transferState: 'COMMITTED', completedTimestamp })
      })
      void post(payee, prepare(order()))
    })
    expect(await settled).toMatchObject({ state: 'COMMITTED' })
    expect(bodies.length).toBeGreaterThanOrEqual(3)
    expect(new Set(bodies).size).toBe(1)
    expect(hub.taken.filter(({ method }) => method !== 'PUT')).toEqual([])
  })

  test('The payee FSP receives 3303 when its answer came too late', async () => {
    const payee = open('payeefsp', { onOutcome: (outcome) => outcomes.push(outcome) })
    const { transferId = '', ...ordered } = order()
    await post(payee, prepare({ transferId, ...ordered }))
    await receivedByHub(1)
    const error = errorInformation('3303')
    await deliver(payee, 'PUT', `/transfers/${transferId}/error`, { errorInformation: error })
    expect(outcomes).toEqual([{ transferId, state: 'ABORTED', error }])
  })

  test('The payee FSP answers 3303 to a transfer that arrives after its expiration', async () => {
    const expired = order({ expiration: new Date(Date.now() - 1) })
    await post(open('payeefsp'), prepare(expired))
    const [put] = await receivedByHub(1)
    expect(JSON.parse(String(put?.body))).toMatchObject({ errorInformation: { errorCode: '3303' } })
  })

  test('The payee FSP drops the oldest transfers first, and still gives them the same answer', async () => {
    const payee = open('payeefsp', { remembered_max: 1 })
    const first = prepare(order())
    await post(payee, first)
    await receivedByHub(1)
    await post(payee, prepare(order()))
    await receivedByHub(2)
    await post(payee, first)
    const puts = await receivedByHub(3)
    expect(puts[2]?.path).toBe(puts[0]?.path)
    expect(fulfilmentIn(puts[2] as StandInRequest)).toBe(fulfilmentIn(puts[0] as StandInRequest))
  })
})
