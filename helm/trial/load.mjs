/**
 * Whole payments at a steady rate, begun by the clock whether or not earlier ones have ended, through the
 * plain port of a sandbox FSP, until it is ended (SIGTERM). Then it prints how each ended, how far the
 * payer's position moved, and what the hub's own comparison of its books finds. Runs in a pod of the hub's
 * image, with the operator's certificate and the log-in of the program `setup`.
 */
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'

const per_second = Number(process.env.LOAD_RATE ?? 5)
const valid_ms = 30_000
const every_ms = 10_000
const settle_ms_max = 180_000
const operatorFiles = '/etc/causeway/operator-client'
const tls = {
  ca: readFileSync(`${operatorFiles}/ca.crt`),
  cert: readFileSync(`${operatorFiles}/tls.crt`),
  key: readFileSync(`${operatorFiles}/tls.key`),
}
const logIn = readFileSync('/etc/causeway/log-in/setup.json')

/** A call of the operator's; a new connection each time, as a pod that answered before may be gone. */
function ask(method, path, body, token) {
  return new Promise((resolve, reject) => {
    const headers = {
      accept: 'application/json',
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    }
    const options = { ...tls, host: 'admin', port: 4143, method, path, headers, agent: false }
    const sent = request(options, (answer) => {
      const parts = []
      answer.on('data', (part) => parts.push(part))
      answer.on('error', reject)
      answer.on('end', () => {
        const text = Buffer.concat(parts).toString()
        if (answer.statusCode < 300) resolve(text === '' ? undefined : JSON.parse(text))
        else reject(new Error(`${method} ${path} was answered ${answer.statusCode}: ${text}`))
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function operator(method, path) {
  const { accessToken } = await ask('POST', '/app-basic-auth', logIn)
  return ask(method, path, undefined, accessToken)
}

async function patiently(work) {
  for (const late_ms = Date.now() + settle_ms_max; ; await wait(1_000)) {
    try {
      return await work()
    } catch (error) {
      if (Date.now() > late_ms) throw error
    }
  }
}

async function position() {
  const accounts = await operator('GET', '/participants/greenbank/accounts')
  return accounts.find((each) => each.ledgerAccountType === 'POSITION').value
}

const payments = []

async function pay() {
  const payment = { begun_ms: Date.now(), state: 'UNDER_WAY' }
  payments.push(payment)
  const order = { to: 'bluewallet', amount: '1', currency: 'USD', validForMs: valid_ms }
  try {
    const answer = await fetch('http://sandbox-fsp:4301/payments', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(order),
    })
    const { state, transferId, leg, error } = await answer.json()
    Object.assign(payment, { state, transferId, leg, error })
  } catch (error) {
    Object.assign(payment, { state: 'UNHEARD', error: String(error.cause ?? error) })
  }
  payment.ms = Date.now() - payment.begun_ms
}

function timesOf(some) {
  const times = some.map(({ ms }) => ms).toSorted((a, b) => a - b)
  const quantile = (part) => times[Math.min(times.length - 1, Math.floor(times.length * part))]
  return { p50_ms: quantile(0.5), p99_ms: quantile(0.99), max_ms: times.at(-1) }
}

function countsOf(some) {
  const counts = {}
  for (const { state, leg } of some) {
    const name = leg === undefined ? state : `${state} at ${leg}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`)

const ending = new AbortController()
process.on('SIGTERM', () => ending.abort())

const before = await patiently(position)
const telling = setInterval(() => {
  const ended = payments.filter(({ ms }) => ms !== undefined)
  const late = ended.filter(({ begun_ms, ms }) => begun_ms + ms > Date.now() - every_ms)
  say({
    at: new Date().toISOString(),
    begun: payments.length,
    ended: ended.length,
    ...timesOf(late),
  })
}, every_ms)
const first_ms = Date.now()
for (let n = 1; !ending.signal.aborted; n++) {
  void pay()
  await wait(Math.max(0, first_ms + (n * 1_000) / per_second - Date.now()))
}
while (payments.some(({ ms }) => ms === undefined)) await wait(100)
clearInterval(telling)

for (const { begun_ms, state, transferId, leg, error } of payments) {
  const begun = new Date(begun_ms).toISOString()
  if (state !== 'COMMITTED') say({ begun, state, transferId, leg, error })
}
const committed = payments.filter(({ state }) => state === 'COMMITTED')
const moved = (await patiently(position)) - before
const verified = await patiently(() => operator('POST', '/verify'))
say({ verified })
say({ transfers: committed.map(({ transferId }) => transferId) })
say({
  payments: payments.length,
  seconds: Math.round((Date.now() - first_ms) / 1_000),
  ...countsOf(payments),
  ...timesOf(payments),
  positionMoved: moved,
  clean: verified.clean,
})
