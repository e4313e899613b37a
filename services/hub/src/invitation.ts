/** What a person may paste after a start: a payment, a call to the FSP API, a call to the operator's. */
import type { SandboxFsp } from './sandbox-fsps.ts'
import type { HubSettings } from './settings.ts'

export interface InvitedUrls {
  readonly fsp: string
  readonly operator: string
  readonly metrics: string
  readonly greenbank: string
}

export function invitation(
  { EDGE_IDENTITY }: Pick<HubSettings, 'EDGE_IDENTITY'>,
  { fsp, operator, metrics, greenbank }: InvitedUrls,
  { secrets }: Pick<SandboxFsp, 'secrets'>,
): string {
  const media = 'application/vnd.interoperability.parties+json;version=1.1'
  const proof =
    EDGE_IDENTITY === 'mtls'
      ? [
          `    --cacert '${secrets.caFile}' --cert '${secrets.certificateFile}' \\`,
          `    --key '${secrets.keyFile}' \\`,
        ]
      : []
  return [
    `FSP API (FSPIOP)    ${fsp}`,
    `Operator's API      ${operator}`,
    `Health and metrics  ${metrics}/health/ready`,
    '',
    'Pay again (greenbank looks the number up, agrees on terms, signs and sends):',
    `  curl -X POST ${greenbank}/payments -H 'content-type: application/json' \\`,
    `    -d '{"to":{"partyIdType":"MSISDN","partyIdentifier":"12025550112"},"amount":"10","currency":"USD"}'`,
    '',
    ...(EDGE_IDENTITY === 'token'
      ? []
      : [
          'Speak FSPIOP as greenbank (202: the answer comes to greenbank as a callback):',
          `  curl -i ${fsp}/parties/MSISDN/12025550111 \\`,
          ...proof,
          `    -H 'accept: ${media}' -H 'content-type: ${media}' -H 'fspiop-source: greenbank' \\`,
          `    -H "date: $(LC_ALL=C date -u '+%a, %d %b %Y %H:%M:%S GMT')"`,
          '',
        ]),
    'See as the operator whether an FSP still lacks something, and what it has:',
    `  curl ${operator}/participants/greenbank/readiness`,
    `  curl ${operator}/participants/greenbank/accounts`,
    '',
    'Ctrl-C stops; what happened is kept.',
  ].join('\n')
}
