/** One sandbox FSP: it pays, is paid, and lets PISPs link its customers' accounts. */
import {
  createFsp,
  type Fsp,
  type IncomingQuote,
  type IncomingTransfer,
  type KeysOf,
  type PayeeDecision,
  type QuoteDecision,
  type RequestDecision,
} from '@causeway/fsp'
import { errorInformation } from '@causeway/fspiop'
import { setTimeout as pause } from 'node:timers/promises'
import { scenarioOf, feeAmount, quoteRejection, rejection } from './domain/scenario.ts'
import { customerOf, customersOf, staffOf, type SandboxName } from './customers.ts'
import { type SandboxDfsp, sandboxDfsp } from './linking.ts'
import { peopleApp } from './people.ts'
import { openPorts, type PortOptions, type Ports } from './ports.ts'
import { register } from './registration.ts'

export interface Bank extends Ports {
  readonly name: SandboxName
}

export interface BankOptions extends PortOptions {
  readonly name: SandboxName
  readonly keysOf: KeysOf
  /** Whether the people of a payroll are customers too. */
  readonly hasPayroll: boolean
}

const resendAfter_ms = 2_000
const margin_ms = 5_000
const delay_ms = 2_000

export async function openBank(options: BankOptions): Promise<Bank> {
  const { name, credentials, settings, log } = options
  let url = ''
  const dfsp = sandboxDfsp(name, settings, () => url)
  const fsp = openFsp(options, dfsp)
  const staff = options.hasPayroll ? staffOf(name) : []
  const registration = register(fsp, [...customersOf(name), ...staff], log)
  const close = () => {
    registration.stop()
    return fsp.close()
  }
  try {
    const people = peopleApp(
      {
        fsp,
        name,
        registration,
        dfsp,
        signing: credentials.signing,
        hasPayroll: options.hasPayroll,
      },
      settings,
    )
    const ports = await openPorts(fsp, people, options)
    url = ports.url
    return {
      ...ports,
      name,
      async stop() {
        await close()
        await ports.stop()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

function openFsp(
  { name, credentials, keysOf, settings, log }: BankOptions,
  dfsp: SandboxDfsp,
): Fsp {
  const { tls, token, signing, secret } = credentials
  return createFsp({
    name,
    hubUrl: settings.HUB_URL,
    hubName: settings.HUB_NAME,
    secret,
    ...(tls && { tls }),
    ...(token && { token }),
    ...(signing && { signing, keysOf }),
    resendAfter_ms,
    margin_ms,
    onLookUp: (party) => customerOf(name, party),
    onQuote: (quote) => agree(name, quote),
    onTransfer: decide,
    onOutcome: (outcome) => log.debug(outcome, 'the hub reported the outcome'),
    onRequest({ payer }): RequestDecision {
      const customer = customerOf(name, payer)
      return customer === undefined
        ? { type: 'REJECT', error: errorInformation('3204') }
        : { type: 'PAY', payer: { ...customer, ...payer } }
    },
    onRequestOutcome: (outcome) => log.debug(outcome, 'the outcome of a payment request'),
    dfsp: dfsp.options,
    onDropped: (method, target, error) => log.warn({ method, target, error }, 'message rejected'),
  })
}

function agree(name: SandboxName, { payee, amount, extensions }: IncomingQuote): QuoteDecision {
  if (customerOf(name, payee) === undefined) {
    return { type: 'REJECT', error: errorInformation('3204') }
  }
  switch (scenarioOf(amount.amount, extensions)) {
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
  switch (scenarioOf(amount.amount, extensions)) {
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
