/** The alarm rules: each has a test that .ci/alarms runs, a severity that the pages explain, and a summary. */
import { expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

const read = (path) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const rules = parse(read('deploy/prometheus/alarms.yml')).groups.flatMap((group) => group.rules)
const { tests } = parse(read('deploy/prometheus/alarms.test.yml'))

test('Every alarm has a test in which it fires and one in which it does not', () => {
  const tested = new Map(
    tests.map(({ name, alert_rule_test: cases }) => [
      name,
      {
        fires: cases.some(
          ({ alertname, exp_alerts: alerts = [] }) => alertname === name && alerts.length > 0,
        ),
        rests: cases.some(
          ({ alertname, exp_alerts: alerts = [] }) => alertname === name && alerts.length === 0,
        ),
      },
    ]),
  )
  const wanted = rules.map(({ alert }) => [alert, { fires: true, rests: true }])
  expect(tested).toEqual(new Map(wanted))
})

test('Every alarm has a severity and a summary', () => {
  const severities = new Set(rules.map(({ labels }) => labels.severity))
  expect(severities).toEqual(new Set(['notice', 'page', 'warn']))
  expect(rules.filter(({ annotations }) => !annotations?.summary?.endsWith('.'))).toEqual([])
})

test('The page on watching names each security alarm', () => {
  const page = read('docs/watching.md')
  const { rules: ofSecurity } = parse(read('deploy/prometheus/alarms.yml')).groups.find(
    ({ name }) => name === 'causeway-security',
  )
  expect(ofSecurity.map(({ alert }) => alert).filter((alert) => !page.includes(alert))).toEqual([])
})
