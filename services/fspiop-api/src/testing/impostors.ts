/** Messages that name another FSP where they must name their sender. */
import {
  message,
  partyAnswer,
  quoteRequest,
  transactionRequest,
  transferBody,
  withHeaders,
  withMembers,
  type TestMessage,
} from './messages.ts'

/** The same request in the name of another FSP. */
export function as(source: string, sent: TestMessage): TestMessage {
  return withHeaders(sent, { 'fspiop-source': source, 'fspiop-destination': undefined })
}

export const quote = message('POST', '/quotes', quoteRequest)

export function prepare(): TestMessage {
  return { ...message('POST', '/transfers'), body: transferBody() }
}

/** Valid messages except for an FSP in the body that is not the sender. */
export const ofOthers: readonly (readonly [string, string, TestMessage])[] = [
  ['payerFsp of a transfer', 'greenbank', withMembers(prepare(), { payerFsp: 'bluewallet' })],
  [
    'the payer of a quote',
    'greenbank',
    withMembers(quote, { payer: { partyIdInfo: quoteRequest.payee.partyIdInfo } }),
  ],
  [
    'the payee of a request to pay',
    'bluewallet',
    withMembers(message('POST', '/transactionRequests', transactionRequest), {
      payee: { partyIdInfo: { ...quoteRequest.payee.partyIdInfo, fspId: 'greenbank' } },
    }),
  ],
  [
    'the FSP of a party',
    'bluewallet',
    withMembers(message('PUT', '/parties/MSISDN/123456789', partyAnswer), {
      party: { partyIdInfo: { ...quoteRequest.payee.partyIdInfo, fspId: 'greenbank' } },
    }),
  ],
]
