/** The alarm rules: each has a test that .ci/alarms runs, a severity that the pages explain, and a summary. */
import { expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'

const alarmRule = z.object({
  alert: z.string(),
  labels: z.object({ severity: z.string() }),
  annotations: z.object({ summary: z.string().optional() }).optional(),
})
const alarmCase = z.object({ alertname: z.string(), exp_alerts: z.array(z.unknown()).default([]) })
const alarmTest = z.object({ name: z.string(), alert_rule_test: z.array(alarmCase) })

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const { groups } = z
  .object({ groups: z.array(z.object({ name: z.string(), rules: z.array(alarmRule) })) })
  .parse(parse(read('deploy/prometheus/alarms.yml')))
const rules = groups.flatMap((group) => group.rules)
const { tests } = z
  .object({ tests: z.array(alarmTest) })
  .parse(parse(read('deploy/prometheus/alarms.test.yml')))

test('Every alarm has a test in which it fires and one in which it does not', () => {
  const tested = new Map(
    tests.map(({ name, alert_rule_test: cases }) => [
      name,
      {
        fires: cases.some(
          ({ alertname, exp_alerts: alerts }) => alertname === name && alerts.length > 0,
        ),
        rests: cases.some(
          ({ alertname, exp_alerts: alerts }) => alertname === name && alerts.length === 0,
        ),
      },
    ]),
  )
  const wanted = rules.map(({ alert }) => [alert, { fires: true, rests: true }] as const)
  expect(tested).toEqual(new Map(wanted))
})

test('Every alarm has a severity and a summary', () => {
  const severities = new Set(rules.map(({ labels }) => labels.severity))
  expect(severities).toEqual(new Set(['notice', 'page', 'warn']))
  expect(rules.filter(({ annotations }) => annotations?.summary?.endsWith('.') !== true)).toEqual(
    [],
  )
})

test('The page on watching names each security alarm', () => {
  const page = read('docs/watching.md')
  const ofSecurity = groups.find(({ name }) => name === 'causeway-security')?.rules ?? []
  const alerts = ofSecurity.map(({ alert }) => alert)
  expect(alerts).not.toEqual([])
  expect(alerts.filter((alert) => !page.includes(alert))).toEqual([])
})
