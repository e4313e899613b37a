/** What a person may paste after a start: a payment, a call to the FSP API, a call to the operator's. */
import type { SandboxFsp } from './sandbox-fsps.ts'
import type { OperatorSecrets } from './secrets.ts'
import type { HubSettings } from './settings.ts'

export interface InvitedUrls {
  readonly fsp: string
  readonly operator: string
  readonly metrics: string
  readonly greenbank: string
  /** With a sandbox PISP. */
  readonly lemonpay?: string
}

export function invitation(
  { EDGE_IDENTITY, OPERATOR_IDENTITY }: Pick<HubSettings, 'EDGE_IDENTITY' | 'OPERATOR_IDENTITY'>,
  { fsp, operator, metrics, greenbank, lemonpay }: InvitedUrls,
  { secrets }: Pick<SandboxFsp, 'secrets'>,
  { setupLogInFile }: Pick<OperatorSecrets, 'setupLogInFile'>,
): string {
  const isAsked = OPERATOR_IDENTITY === 'token'
  const token = isAsked ? ` -H "authorization: Bearer $TOKEN"` : ''
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
    ...(lemonpay === undefined
      ? []
      : [
          'Link an account through lemonpay (then POST /payments there with the consentId):',
          `  curl -X POST ${lemonpay}/links -H 'content-type: application/json' \\`,
          `    -d '{"dfsp":"greenbank","user":"12025550102"}'`,
          '',
        ]),
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
    ...(isAsked
      ? [
          `  TOKEN=$(curl -s ${operator}/app-basic-auth -H 'content-type: application/json' \\`,
          `    -d @'${setupLogInFile}' | sed 's/.*"accessToken":"\\([^"]*\\)".*/\\1/')`,
        ]
      : []),
    `  curl${token} ${operator}/participants/greenbank/readiness`,
    `  curl${token} ${operator}/participants/greenbank/accounts`,
    '',
    'The same in a browser:',
    `  ${operator}/console/`,
    '',
    'Ctrl-C stops; what happened is kept.',
  ].join('\n')
}

/** The password is said once; it lies in its file until nobody needs it any more. */
export function aboutAdministrator({ firstPassword, firstPasswordFile }: OperatorSecrets): string {
  const where = `${firstPasswordFile} (until it is changed)`
  return firstPassword === undefined
    ? `Operators log in; the first one is administrator, whose first password is in ${where}.`
    : [
        'Operators log in. The first one is',
        `  administrator  ${firstPassword}`,
        `who must change that password; it is said this once and lies in ${where}.`,
      ].join('\n')
}
