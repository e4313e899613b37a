/** The page of a report: without scripts and other files, with styles for printing it on A4. */
import { escapedHtml } from '@causeway/http'
import type { Document } from './document.ts'
import {
  operator,
  type Failure,
  type Section,
  type Total,
  type Transfers,
} from './domain/report.ts'
import { schemeScope } from './domain/calendar.ts'

const style = `
:root { color-scheme: light; font: 14px/1.4 system-ui, sans-serif; color: #1a1a1a; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; border-bottom: 2px solid #1a1a1a; }
h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
table { border-collapse: collapse; width: 100%; margin: .25rem 0 1rem; }
caption { text-align: left; font-weight: 600; padding: .25rem 0; }
th, td { text-align: left; padding: .2rem .5rem; border-bottom: 1px solid #c8c8c8; }
th { font-weight: 600; }
.figure { text-align: right; font-variant-numeric: tabular-nums; }
footer { margin-top: 2rem; font-size: .8rem; color: #555; overflow-wrap: anywhere; }
@page { size: A4; margin: 18mm 15mm; }
@media print {
  :root { font-size: 10pt; color: #000; }
  body { max-width: none; margin: 0; padding: 0; }
  section { break-before: page; }
  section:first-of-type { break-before: auto; }
  table, h2, h3 { break-inside: avoid; }
  h2, h3, caption { break-after: avoid; }
  thead { display: table-header-group; }
}`

export function pageOf(document: Document, sha256: string): string {
  const { day, participant, version, scope, currencies, participants = [] } = document
  const title = `End-of-day report of ${participant === operator ? 'the scheme' : participant}, ${day}`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapedHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escapedHtml(title)}</h1>
<p>Version ${version}${scope === schemeScope ? '' : `, ${escapedHtml(scope)} alone`}. All times are UTC.</p>
${currencies.length === 0 ? '<p>No accounts and no payments.</p>' : ''}
${currencies.map(sectionOf).join('\n')}
${windowsOf(document)}
${participants.length === 0 ? '' : participantsOf(participants)}
<footer>Made ${escapedHtml(document.madeAt)} (${escapedHtml(document.reason)}).${replacedBy(document)}
SHA-256 of the JSON: ${escapedHtml(sha256)}</footer>
</body>
</html>
`
}

function replacedBy({ replaces }: Document): string {
  if (replaces === null) return ''
  return ` Replaces version ${replaces.version} (${escapedHtml(replaces.sha256)}).`
}

function sectionOf(section: Section): string {
  const { currency, from, until, sent, received, fees, failures, latency, position } = section
  return `<section>
<h2>${escapedHtml(currency)}</h2>
<p>From ${escapedHtml(from)} to ${escapedHtml(until)}. Position at the end: <b>${escapedHtml(position)}</b>.</p>
${table('Committed transfers', ['', '#Sent', '#Value sent', '#Received', '#Value received'], kindsOf(sent, received))}
${table(
  'Interchange fees',
  ['', '#Number', '#Value'],
  [
    ['paid', ...cellsOf(fees.paid)],
    ['received', ...cellsOf(fees.received)],
  ],
)}
${failuresOf('Failed as payer FSP', failures.sent)}
${failuresOf('Failed as payee FSP', failures.received)}
${table(
  'From the receipt of POST /transfers to the end, as the hub measured it',
  ['', '#Measured', '#p50', '#p95', '#p99'],
  Object.entries(latency).map(([side, { count, p50_ms, p95_ms, p99_ms }]) => [
    side,
    String(count),
    ...[p50_ms, p95_ms, p99_ms].map((value) => (value === null ? '–' : `${value} ms`)),
  ]),
)}
</section>`
}

function kindsOf(sent: Transfers, received: Transfers): readonly (readonly string[])[] {
  const row = (name: string, one: Total, another: Total) => [
    name,
    ...cellsOf(one),
    ...cellsOf(another),
  ]
  return [
    row('single', sent.single, received.single),
    row('items of bulks', sent.bulkItems, received.bulkItems),
    row('begun by a PISP', sent.thirdParty, received.thirdParty),
    row('total', sent.total, received.total),
  ]
}

function failuresOf(caption: string, failures: readonly Failure[]): string {
  if (failures.length === 0) return ''
  const rows = failures.map((failure) => [
    failure.errorCode,
    failure.description,
    ...cellsOf(failure),
  ])
  return table(caption, ['Code', 'Meaning', '#Number', '#Value'], rows)
}

function windowsOf({ windowsClosed }: Document): string {
  if (windowsClosed.length === 0) return ''
  const rows = windowsClosed.flatMap(({ id, closedAt, nets }) =>
    nets.map((net) => [
      String(id),
      closedAt,
      net.participant,
      net.settlementModel,
      net.currency,
      net.net,
    ]),
  )
  const head = ['Window', 'Closed', 'Participant', 'Model', 'Currency', '#Net']
  return `<section>
<h2>Settlement windows closed</h2>
<p>A net above zero is owed, one below zero is due.</p>
${table('Nets', head, rows)}
</section>`
}

function participantsOf(sections: readonly (Section & { readonly participant: string })[]): string {
  const rows = sections.map((section) => [
    section.participant,
    section.currency,
    ...cellsOf(section.sent.total),
    ...cellsOf(section.received.total),
    section.fees.paid.value,
    section.fees.received.value,
    section.position,
  ])
  const figures = ['#Sent', '#Value', '#Received', '#Value', '#Fees paid', '#received', '#Position']
  return `<section>
<h2>Participants</h2>
${table('Figures of each participant', ['Participant', 'Currency', ...figures], rows)}
</section>`
}

function cellsOf({ count, value }: Total): readonly [string, string] {
  return [String(count), value]
}

/** The label of a numeric column begins with #. */
function table(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const classOf = (at: number) => (head[at]?.startsWith('#') === true ? ' class="figure"' : '')
  const headings = head.map(
    (name, at) => `<th scope="col"${classOf(at)}>${escapedHtml(name.replace('#', ''))}</th>`,
  )
  const lines = rows.map((cells) => {
    const shown = cells.map((cell, at) => `<td${classOf(at)}>${escapedHtml(cell)}</td>`)
    return `<tr>${shown.join('')}</tr>`
  })
  return `<table><caption>${escapedHtml(caption)}</caption>
<thead><tr>${headings.join('')}</tr></thead>
<tbody>${lines.join('')}</tbody></table>`
}
