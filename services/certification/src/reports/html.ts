/** The report as one page that needs no other file: the summary, then each case with its messages. */
import { type CaseResult, roles } from '../case.ts'
import type { Exchanged } from '../peer.ts'
import { escaped, type CertificationReport } from './report.ts'

const names = { passed: 'passed', failed: 'FAILED', notRun: 'not run' } as const
const titles = {
  payer: 'As the payer’s FSP',
  payee: 'As the payee’s FSP',
  dfsp: 'As a DFSP',
  pisp: 'As a PISP',
}

export function htmlOf(report: CertificationReport): string {
  const { fsp, callbackUrl, startedAt, finishedAt, passed, failed, notRun } = report
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Certification of ${escaped(fsp)}</title>
<style>${style}</style>
<h1>Certification of ${escaped(fsp)}</h1>
<p>${escaped(callbackUrl)}, ${escaped(startedAt)} to ${escaped(finishedAt)}</p>
<p class="sum"><b class="passed">${passed} passed</b> <b class="failed">${failed} failed</b> <b class="notRun">${notRun} not run</b></p>
<p>A case that was not run proves nothing about the FSP.</p>
${roles
  .map((role) =>
    sectionOf(
      titles[role],
      report.results.filter((result) => result.role === role),
    ),
  )
  .join('\n')}
</html>
`
}

function sectionOf(title: string, results: readonly CaseResult[]): string {
  if (results.length === 0) return ''
  return `<h2>${title}</h2>
<table>
<tr><th>Case<th>Rule<th>Section<th>Result</tr>
${results.map(rowOf).join('\n')}
</table>`
}

function rowOf(result: CaseResult): string {
  const { id, title, section, state, messages } = result
  return `<tr class="${state}" id="${escaped(id)}"><td>${escaped(id)}<td>${escaped(title)}${findingOf(result)}${exchangeOf(messages)}<td>${escaped(section)}<td class="state">${names[state]}</tr>`
}

function findingOf(result: CaseResult): string {
  switch (result.state) {
    case 'passed':
      return ''
    case 'notRun':
      return `<p>${escaped(result.why)}</p>`
    case 'failed':
      return `<dl><dt>expected<dd>${escaped(result.expected)}<dt>seen<dd>${escaped(result.seen)}</dl>`
  }
}

function exchangeOf(messages: readonly Exchanged[]): string {
  if (messages.length === 0) return ''
  const lines = messages.map(
    ({ sender, method, path, status, body }) =>
      `${sender === 'FSP' ? 'FSP → kit' : 'kit → FSP'}  ${method} ${path}  ${status ?? 'no answer'}${body === '' ? '' : `\n    ${body}`}`,
  )
  return `<details><summary>${messages.length} messages</summary><pre>${escaped(lines.join('\n'))}</pre></details>`
}

const style = `
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24 }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid #d7dbe0 }
td:first-child, .state, td:nth-child(3) { white-space: nowrap }
pre { overflow: auto; max-height: 24rem; background: #f5f6f8; padding: .6rem; white-space: pre-wrap; word-break: break-all }
dd { word-break: break-word }
.passed .state, b.passed { color: #136c2e }
.failed .state, b.failed { color: #b3141d }
.notRun .state, b.notRun { color: #6b5300 }
.sum b { margin-right: 1.5rem }
`
