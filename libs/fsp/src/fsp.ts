/**
 * An FSP's side of the API: it pays, is paid, and believes nothing that is not proven. It makes no
 * server of its own: whoever has one hands in what comes and sends back the status.
 */
import type { Headers } from '@causeway/fspiop'
import { openHubLink } from './hub-link.ts'
import { type Hearing, type Inbound, readInbound } from './inbound.ts'
import type {
  IncomingTransfer,
  PayeeDecision,
  PayeeOutcome,
  TransferOrder,
  TransferResult,
} from './outcome.ts'
import { openPayee, type Payee } from './payee.ts'
import { openPayer, type Payer } from './payer.ts'

export interface FspOptions {
  /** The FSP's name in the scheme (FspId). */
  readonly name: string
  /** Where the hub takes FSPs' messages: `http://127.0.0.1:4000`. */
  readonly hubUrl: string
  /** The hub's own name; messages that it makes itself come from it. */
  readonly hubName?: string
  /** 32 bytes that only this FSP knows; they must be the same at its next start. */
  readonly secret: Buffer
  /** What to do with a transfer; without it every one that is as agreed is taken (COMMIT). */
  readonly onTransfer?: (transfer: IncomingTransfer) => PayeeDecision | Promise<PayeeDecision>
  readonly onOutcome?: (outcome: PayeeOutcome) => void
  /** Told of each message that was not believed, and why. */
  readonly onDropped?: (method: string, path: string, why: string) => void
  /** Ask the hub after so long without a word (3,000). */
  readonly silence_ms?: number
  /** Wait so long beyond the expiration for the outcome (15,000). */
  readonly margin_ms?: number
  /** For one request to the hub (5,000). */
  readonly timeout_ms?: number
  /** Kept connections to the hub (32). */
  readonly connections_max?: number
  /** Transfers of others that are remembered, so that a repeat is answered the same (100,000). */
  readonly remembered_max?: number
}

export interface Fsp {
  readonly name: string
  /**
   * Makes a transfer and resolves with its outcome, at the latest `margin_ms` after its expiration.
   * Rejects only for an order that makes no message, or whose id is under way already.
   */
  transfer(order: TransferOrder): Promise<TransferResult>
  /**
   * Takes a message of the hub and returns the HTTP status of its answer, whose body is empty. The
   * path begins at the resource name; header names are lower case.
   */
  receive(method: string, path: string, headers: Headers, body: Buffer): number
  close(): Promise<void>
}

export function createFsp(options: FspOptions): Fsp {
  const { name, hubName = 'Hub', silence_ms = 3_000, margin_ms = 15_000 } = options
  const link = openHubLink({
    hubUrl: options.hubUrl,
    connections_max: options.connections_max ?? 32,
    timeout_ms: options.timeout_ms ?? 5_000,
  })
  const payer = openPayer({ name, hubName, link, silence_ms, margin_ms })
  const payee = openPayee({
    name,
    hubName,
    link,
    secret: options.secret,
    onTransfer: options.onTransfer ?? (() => ({ type: 'COMMIT' })),
    onOutcome: options.onOutcome ?? (() => undefined),
    silence_ms,
    margin_ms,
    remembered_max: options.remembered_max ?? 100_000,
  })
  return {
    name,
    transfer: (order) => payer.transfer(order),
    receive(method, path, headers, body) {
      const message = readInbound(name, method, path, headers, body)
      const why = message.kind === 'DROPPED' ? message.why : disbelief(payer, payee, message)
      if (why !== undefined) options.onDropped?.(method, path, why)
      if (message.kind === 'DROPPED') return message.status
      if (why !== undefined) return 400
      return message.kind === 'TRANSFER' ? 202 : 200
    },
    async close() {
      payer.close()
      payee.close()
      await link.close()
    },
  }
}

/** A message about a transfer that nobody waits for any more is taken and changes nothing. */
function disbelief(
  payer: Payer,
  payee: Payee,
  message: Exclude<Inbound, { kind: 'DROPPED' }>,
): string | undefined {
  const hearing = hearingOf(payer, payee, message)
  return typeof hearing === 'string' ? undefined : hearing.disbelieved
}

function hearingOf(
  payer: Payer,
  payee: Payee,
  message: Exclude<Inbound, { kind: 'DROPPED' }>,
): Hearing {
  if (message.kind === 'TRANSFER') return payee.take(message)
  if (message.kind === 'NOTICE') return payee.hear(message)
  const hearing = payer.hear(message)
  return hearing === 'NOT_MINE' ? payee.hear(message) : hearing
}
