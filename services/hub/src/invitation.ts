/** What a person may paste after a start: a payment, a call to the FSP API, a call to the operator's. */
export interface InvitedUrls {
  readonly fsp: string
  readonly operator: string
  readonly metrics: string
  readonly greenbank: string
}

export function invitation({ fsp, operator, metrics, greenbank }: InvitedUrls): string {
  const media = 'application/vnd.interoperability.transfers+json;version=1.1'
  return [
    `FSP API (FSPIOP)    ${fsp}`,
    `Operator's API      ${operator}`,
    `Health and metrics  ${metrics}/health/ready`,
    '',
    'Pay again:',
    `  curl -X POST ${greenbank}/payments -H 'content-type: application/json' \\`,
    `    -d '{"to":"bluewallet","amount":"10","currency":"USD"}'`,
    '',
    'Speak FSPIOP as greenbank (202: the answer comes to greenbank as a callback):',
    `  curl -i ${fsp}/transfers/11111111-1111-4111-8111-111111111111 -H 'accept: ${media}' \\`,
    `    -H 'content-type: ${media}' -H 'fspiop-source: greenbank' \\`,
    `    -H "date: $(LC_ALL=C date -u '+%a, %d %b %Y %H:%M:%S GMT')"`,
    '',
    'Look at its accounts as the operator:',
    `  curl ${operator}/participants/greenbank/accounts`,
    '',
    'Ctrl-C stops; what happened is kept.',
  ].join('\n')
}
