/**
 * One sandbox FSP: a plain port for the people of this machine, and callbacks from the hub, which come
 * over TLS when the FSP has a certificate and to the plain port below `/callbacks` when it has none.
 */
import {
  callbackHandler,
  createFsp,
  serveCallbacks,
  type CallbackServer,
  type Fsp,
  type IncomingQuote,
  type IncomingTransfer,
  type KeysOf,
  type PayeeDecision,
  type QuoteDecision,
  type RequestDecision,
} from '@causeway/fsp'
import { errorInformation } from '@causeway/fspiop'
import { serveHttp, StartError, type HttpServer, type Logger } from '@causeway/runtime'
import { setTimeout as pause } from 'node:timers/promises'
import type { Credentials } from './credentials.ts'
import { conductOf, feeAmount, quoteRejection, rejection } from './domain/conduct.ts'
import { customerOf, customersOf, type SandboxName } from './customers.ts'
import { peopleApp } from './people.ts'
import { register } from './registration.ts'
import type { Settings } from './settings.ts'

export interface Bank {
  readonly name: SandboxName
  /** For people, without a slash at the end. */
  readonly url: string
  /** Where the hub's callbacks go: `<callbackUrl>/transfers/…`. */
  readonly callbackUrl: string
  stop(): Promise<void>
}

export interface BankOptions {
  readonly name: SandboxName
  readonly port: number
  readonly tlsPort: number
  readonly credentials: Credentials
  readonly keysOf: KeysOf
  readonly settings: Settings
  readonly log: Logger
}

const callbacks = '/callbacks'
const silence_ms = 2_000
const margin_ms = 5_000
const delay_ms = 2_000

export async function openBank(options: BankOptions): Promise<Bank> {
  const { name, credentials, settings, log } = options
  const fsp = openFsp(options)
  const registration = register(fsp, customersOf(name), log)
  const opened: { stop(): Promise<void> }[] = [
    {
      stop() {
        registration.stop()
        return fsp.close()
      },
    },
  ]
  const stop = async () => {
    for (const part of opened) await part.stop()
  }
  try {
    const secure = await openCallbacks(fsp, options)
    if (secure !== undefined) opened.push(secure)
    const people = peopleApp({ fsp, name, registration, signing: credentials.signing }, settings)
    const take = callbackHandler(fsp, callbacks)
    const server = await serveHttp({
      name: `sandbox FSP ${name}`,
      host: settings.SANDBOX_HOST,
      port: options.port,
      handler(request, response) {
        const isCallback = request.url?.startsWith(`${callbacks}/`) === true
        // Beside a certificate nothing counts that comes without one.
        if (isCallback && credentials.callbackTls === undefined) take(request, response)
        else people(request, response)
      },
      log,
    })
    opened.push(server)
    return { name, url: server.url, callbackUrl: callbackUrlOf(server, secure), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function callbackUrlOf(server: HttpServer, secure: CallbackServer | undefined): string {
  return secure === undefined ? `${server.url}${callbacks}` : secure.url
}

async function openCallbacks(
  fsp: Fsp,
  { name, tlsPort, credentials, settings }: BankOptions,
): Promise<CallbackServer | undefined> {
  if (credentials.callbackTls === undefined) return undefined
  const tls = { ...credentials.callbackTls, client: settings.HUB_NAME }
  try {
    return await serveCallbacks(fsp, {
      host: settings.SANDBOX_HOST,
      port: tlsPort,
      base: callbacks,
      tls,
    })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new StartError(`The sandbox FSP ${name} cannot take callbacks at ${tlsPort}: ${why}.`)
  }
}

function openFsp({ name, credentials, keysOf, settings, log }: BankOptions): Fsp {
  const { tls, token, signing, secret } = credentials
  return createFsp({
    name,
    hubUrl: settings.HUB_URL,
    hubName: settings.HUB_NAME,
    secret,
    ...(tls && { tls }),
    ...(token && { token }),
    ...(signing && { signing, keysOf }),
    silence_ms,
    margin_ms,
    onLookUp: (party) => customerOf(name, party),
    onQuote: (quote) => agree(name, quote),
    onTransfer: decide,
    onOutcome: (outcome) => log.debug(outcome, 'the hub told the outcome'),
    onRequest({ payer }): RequestDecision {
      const customer = customerOf(name, payer)
      return customer === undefined
        ? { type: 'REJECT', error: errorInformation('3204') }
        : { type: 'PAY', payer: { ...customer, ...payer } }
    },
    onRequestOutcome: (outcome) => log.debug(outcome, 'a request was paid or not'),
    onDropped: (method, target, error) =>
      log.warn({ method, target, error }, 'a message was not believed'),
  })
}

function agree(name: SandboxName, { payee, amount, extensions }: IncomingQuote): QuoteDecision {
  if (customerOf(name, payee) === undefined) {
    return { type: 'REJECT', error: errorInformation('3204') }
  }
  switch (conductOf(amount.amount, extensions)) {
    case 'rejectQuote':
      return { type: 'REJECT', error: quoteRejection }
    case 'charge':
      return {
        type: 'AGREE',
        payeeFspFee: { currency: amount.currency, amount: feeAmount },
      }
    default:
      return { type: 'AGREE' }
  }
}

async function decide({ amount, extensions }: IncomingTransfer): Promise<PayeeDecision> {
  switch (conductOf(amount.amount, extensions)) {
    case 'commit':
    case 'charge':
    case 'rejectQuote':
      return { type: 'COMMIT' }
    case 'reserve':
      return { type: 'RESERVE' }
    case 'reject':
      return { type: 'REJECT', error: rejection }
    case 'delay':
      await pause(delay_ms)
      return { type: 'COMMIT' }
    case 'ignore':
      return { type: 'IGNORE' }
  }
}
