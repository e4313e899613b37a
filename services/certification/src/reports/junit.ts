/** The report as JUnit XML: a suite for each role, a skipped test for a case that was not run. */
import { type CaseResult, roles } from '../case.ts'
import { escaped, type CertificationReport } from './report.ts'

export function junitOf({ fsp, results, failed, notRun }: CertificationReport): string {
  const suites = roles.map((role) => {
    const own = results.filter((result) => result.role === role)
    const count = (state: CaseResult['state']) => own.filter((each) => each.state === state).length
    const counts = `tests="${own.length}" failures="${count('failed')}" skipped="${count('notRun')}"`
    return [
      `  <testsuite name="${role}" ${counts}>`,
      ...own.map((result) => testOf(fsp, result)),
      '  </testsuite>',
    ].join('\n')
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${escaped(fsp)}" tests="${results.length}" failures="${failed}" skipped="${notRun}">`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n')
}

function testOf(fsp: string, result: CaseResult): string {
  const { id, title, role, section, ms } = result
  const name = escaped(`${id}: ${title} (${section})`)
  const head = `    <testcase classname="${escaped(fsp)}.${role}" name="${name}" time="${ms / 1_000}"`
  switch (result.state) {
    case 'passed':
      return `${head}/>`
    case 'notRun':
      return `${head}><skipped message="${escaped(result.why)}"/></testcase>`
    case 'failed': {
      const text = `expected ${result.expected}\nseen ${result.seen}`
      return `${head}><failure message="${escaped(`expected ${result.expected}`)}">${escaped(text)}</failure></testcase>`
    }
  }
}
