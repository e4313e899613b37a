/**
 * The FSPs of the bench, all in this one process: payers that begin transfers by the clock whatever
 * the hub does (open loop), and payees that fulfil at once. They do as little as they can, and what
 * they use of the CPU is counted apart.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Pool } from 'undici'
import { quantiles, type Command, type Report, type Run, type RunResult } from './messages.ts'

/** Any pair will do: the hub only holds the one against the other. */
const condition = 'GRzLaTP7DJ9t4P-a_BA0WA9wzzlsugf00-Tn6kESAfM'
const fulfilment = 'UNlJ98hZTY_dsw0cAqw4i_UN3v4utt7CZFB4yfLbVFA'
/** About as long as a real packet. */
const ilpPacket = 'AYIB2AAAAAAAACasG2cucGF5ZWVmc3AubXNpc2RuLjEyMzQ1Njc4OYIBsHsi'.padEnd(635, 'A')

const media = 'application/vnd.interoperability.transfers+json;version=1.1'
const expiry_ms = 30_000
/** After this a transfer without a callback counts as failed. */
const patience_ms = 35_000
const tick_ms = 2

interface Open {
  readonly scheduled_ms: number
}

const open = new Map<string, Open>()
const asked = new Set<string>()
let repeated = 0
let finish: (transferId: string, outcome: string) => void = () => undefined
let names: readonly string[] = []
let hub: Pool

function say(report: Report): void {
  process.send?.(report)
}

/** One server for all FSPs: the first segment of the path is the FSP's name. */
const server = createServer((request, response) => {
  const { method = '', url = '' } = request
  if (method === 'POST') {
    takeRequest(request, response)
    return
  }
  request.resume()
  response.statusCode = 200
  response.end()
  const [, , , transferId = '', error] = url.split('/')
  if (method === 'PUT') finish(transferId, error === undefined ? 'COMMITTED' : 'error callback')
})

/** The payee: 202, then the fulfilment. */
function takeRequest(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    response.statusCode = 202
    response.end()
    const { transferId } = JSON.parse(Buffer.concat(chunks).toString()) as { transferId: string }
    if (asked.has(transferId)) repeated += 1
    asked.add(transferId)
    const payee = String(request.headers['fspiop-destination'])
    const payer = String(request.headers['fspiop-source'])
    send('PUT', `/transfers/${transferId}`, payee, payer, {
      fulfilment,
      completedTimestamp: new Date().toISOString(),
      transferState: 'COMMITTED',
    }).catch((error: unknown) => finish(transferId, `PUT: ${String(error)}`))
  })
}

async function send(
  method: 'POST' | 'PUT',
  path: string,
  from: string,
  to: string,
  body: unknown,
): Promise<void> {
  const answer = await hub.request({
    method,
    path,
    headers: {
      'content-type': media,
      date: new Date().toUTCString(),
      'fspiop-source': from,
      'fspiop-destination': to,
      ...(method === 'POST' ? { accept: media } : {}),
    },
    body: JSON.stringify(body),
  })
  const text = await answer.body.text()
  if (answer.statusCode > 202) throw new Error(`${answer.statusCode} ${text}`)
}

async function begin(payer: string, payee: string, scheduled_ms: number): Promise<void> {
  const transferId = randomUUID()
  open.set(transferId, { scheduled_ms })
  try {
    await send('POST', '/transfers', payer, payee, {
      transferId,
      payerFsp: payer,
      payeeFsp: payee,
      amount: { currency: 'USD', amount: '1' },
      ilpPacket,
      condition,
      expiration: new Date(Date.now() + expiry_ms).toISOString(),
    })
  } catch (error) {
    finish(transferId, `POST: ${String(error)}`)
  }
}

/** Who pays whom in the n-th transfer. */
function pairOf(load: Run['load'], n: number): readonly [string, string] {
  const name = (index: number) => names[index % names.length] ?? ''
  if (load === 'pair') return [name(0), name(1)]
  const hot = load === 'hot' && n % 10 < 7
  const payer = hot ? 0 : n
  return [name(payer), name(payer + 1 + (Math.floor(n / names.length) % (names.length - 1)))]
}

/** Begins transfers on schedule and resolves when each has its outcome. */
function run({ transfers, rate, load }: Run): Promise<RunResult> {
  const latencies: number[] = []
  const lateness: number[] = []
  const failures: Record<string, number> = {}
  const begun_ms = performance.now() + tick_ms
  let next = 0
  let finished = 0
  repeated = 0
  return new Promise((resolve) => {
    const clock = setInterval(() => {
      const now_ms = performance.now()
      for (; next < transfers; next += 1) {
        const scheduled_ms = begun_ms + (next * 1_000) / rate
        if (scheduled_ms > now_ms) break
        lateness.push(now_ms - scheduled_ms)
        void begin(...pairOf(load, next), scheduled_ms)
      }
      const patient = open.values().next().value
      if (patient !== undefined && now_ms - patient.scheduled_ms > patience_ms) {
        const [transferId = ''] = open.keys()
        finish(transferId, 'no callback')
      }
    }, tick_ms)
    finish = (transferId, outcome) => {
      const transfer = open.get(transferId)
      if (transfer === undefined) return
      open.delete(transferId)
      finished += 1
      if (outcome === 'COMMITTED') latencies.push(performance.now() - transfer.scheduled_ms)
      else failures[outcome] = (failures[outcome] ?? 0) + 1
      if (finished % 200 === 0) say({ type: 'PROGRESS', finished })
      if (finished < transfers) return
      clearInterval(clock)
      resolve({
        transfers,
        committed: latencies.length,
        failures,
        elapsed_ms: performance.now() - begun_ms,
        latency_ms: quantiles(latencies),
        lateness_ms: quantiles(lateness),
        repeated,
      })
    }
  })
}

process.on('message', (command: Command) => {
  if (command.type === 'RUN') {
    asked.clear()
    void run(command).then((result) => say({ type: 'DONE', result }))
    return
  }
  names = command.names
  hub = new Pool(command.hubUrl, { connections: 64 })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port was given')
    say({ type: 'OPENED', url: `http://127.0.0.1:${address.port}` })
  })
})
process.on('disconnect', () => process.exit(0))
