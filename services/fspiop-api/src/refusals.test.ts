import { errorInformation } from '@causeway/fspiop'
import { expect, test } from '@jest/globals'
import { errorsPage } from './pages/errors-page.ts'
import { reasons, refuse } from './refusals.ts'

test.each(reasons)('%s has a status of the API and a text of legal length', (reason) => {
  const { status, code, detail } = refuse(reason)
  expect([400, 401, 403, 404, 405, 406, 501, 503]).toContain(status)
  expect(errorInformation(code, detail).errorDescription).toMatch(new RegExp(` - ${detail}$`))
})

test("An unknown source has the code that Mojaloop's clients expect", () => {
  expect(refuse('SOURCE_UNKNOWN').code).toBe('3200')
  expect(refuse('SOURCE_UNKNOWN', 'mojaloop').code).toBe('3100')
  expect(refuse('SOURCE_INACTIVE', 'mojaloop').code).toBe('3100')
})

test('The errors page has a row for every reason', () => {
  const page = errorsPage('mojaloop')
  for (const reason of reasons) expect(page).toContain(`<td>${reason}</td>`)
  expect(page).toContain('<td>SOURCE_UNKNOWN</td><td>400</td><td>3100</td>')
})
