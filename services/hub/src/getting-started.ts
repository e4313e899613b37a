/**
 * Commands to paste after a start: a payment, a call to the FSP API, a call to the operator's API.
 */
import { existsSync } from 'node:fs'
import type { SandboxFsp } from './sandbox-fsps.ts'
import type { OperatorSecrets } from './secrets.ts'
import type { HubSettings } from './settings.ts'

export interface HubUrls {
  readonly fsp: string
  readonly operator: string
  readonly metrics: string
  readonly greenbank: string
  /** With a sandbox PISP. */
  readonly lemonpay?: string
}

export function gettingStarted(
  { EDGE_IDENTITY, OPERATOR_IDENTITY }: Pick<HubSettings, 'EDGE_IDENTITY' | 'OPERATOR_IDENTITY'>,
  { fsp, operator, metrics, greenbank, lemonpay }: HubUrls,
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
          'Call the FSP API as greenbank (202: the answer is a callback to greenbank):',
          `  curl -i ${fsp}/parties/MSISDN/12025550111 \\`,
          ...proof,
          `    -H 'accept: ${media}' -H 'content-type: ${media}' -H 'fspiop-source: greenbank' \\`,
          `    -H "date: $(LC_ALL=C date -u '+%a, %d %b %Y %H:%M:%S GMT')"`,
          '',
        ]),
    'As the operator, see what an FSP still lacks, and its accounts:',
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
    'Ctrl-C stops the hub; its data stays.',
  ].join('\n')
}

/**
 * For a hub that has started: a file of a first password is there until the password is changed. The first
 * password is printed once, that of the second administrator, who is another person, never.
 */
export function aboutAdministrators(secrets: OperatorSecrets): string {
  const { firstPassword, firstPasswordFile, secondPasswordFile } = secrets
  const where = `${firstPasswordFile} (until it is changed)`
  const first = !existsSync(firstPasswordFile)
    ? ['Operators log in.']
    : firstPassword === undefined
      ? [`Operators log in; the first administrator's password is in ${where}.`]
      : [
          'Operators log in. The first administrator is',
          `  administrator  ${firstPassword}`,
          `who must change the password; it is printed only once and is stored in ${where}.`,
        ]
  const second =
    secondPasswordFile === undefined || !existsSync(secondPasswordFile)
      ? []
      : [
          'Each change needs a second person, who logs in as administrator2 with the password in',
          `${secondPasswordFile} (until it is changed).`,
        ]
  return [...first, ...second].join('\n')
}
