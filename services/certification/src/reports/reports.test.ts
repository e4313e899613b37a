import { expect, test } from '@jest/globals'
import type { CaseResult } from '../case.ts'
import { htmlOf } from './html.ts'
import { junitOf } from './junit.ts'
import { reportOf } from './report.ts'

const about = {
  fsp: 'green&bank',
  callbackUrl: 'https://green.example',
  startedAt: '2026-01-01T00:00:00.000Z',
  finishedAt: '2026-01-01T00:01:00.000Z',
}

const rule = { title: 'A rule about <b>', section: 'FSPIOP 4.4', ms: 1_500 }

const results: readonly CaseResult[] = [
  { ...rule, id: 'one', role: 'payee', messages: [], state: 'passed' },
  {
    ...rule,
    id: 'two',
    role: 'payee',
    messages: [
      { sender: 'FSP', method: 'PUT', path: '/quotes/1', status: 200, body: '<script>' },
      { sender: 'KIT', method: 'POST', path: '/quotes', status: undefined, body: '' },
    ],
    state: 'failed',
    expected: '"an error"',
    seen: '<script>\u0000',
  },
  { ...rule, id: 'three', role: 'pisp', messages: [], state: 'notRun', why: 'no trigger' },
]

const report = reportOf(about, results)

test('A report counts a case that was not run as neither passed nor failed', () => {
  expect(report).toMatchObject({ passed: 1, failed: 1, notRun: 1 })
})

test('JUnit XML has a suite for each role, a failure, and a skipped test with its reason', () => {
  expect(junitOf(report)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="green&amp;bank" tests="3" failures="1" skipped="1">
  <testsuite name="payer" tests="0" failures="0" skipped="0">
  </testsuite>
  <testsuite name="payee" tests="2" failures="1" skipped="0">
    <testcase classname="green&amp;bank.payee" name="one: A rule about &lt;b&gt; (FSPIOP 4.4)" time="1.5"/>
    <testcase classname="green&amp;bank.payee" name="two: A rule about &lt;b&gt; (FSPIOP 4.4)" time="1.5"><failure message="expected &quot;an error&quot;">expected &quot;an error&quot;
seen &lt;script&gt;\u{FFFD}</failure></testcase>
  </testsuite>
  <testsuite name="dfsp" tests="0" failures="0" skipped="0">
  </testsuite>
  <testsuite name="pisp" tests="1" failures="0" skipped="1">
    <testcase classname="green&amp;bank.pisp" name="three: A rule about &lt;b&gt; (FSPIOP 4.4)" time="1.5"><skipped message="no trigger"/></testcase>
  </testsuite>
</testsuites>
`)
})

test('The page states expectation, finding, section and messages, and runs nothing that an FSP wrote', () => {
  const page = htmlOf(report)
  expect(page).not.toContain('<script>')
  expect(page).not.toContain('A rule about <b>')
  for (const text of [
    '&quot;an error&quot;',
    'FSPIOP 4.4',
    'no trigger',
    'FSP → kit  PUT /quotes/1  200',
    'kit → FSP  POST /quotes  no answer',
  ]) {
    expect(page).toContain(text)
  }
})
