/**
 * The page that lists what the edge refuses and with which words. It is made of the tables that the
 * refusals themselves are made of, once at the start, and served at `GET /errors`.
 */
import { errorCatalogue, errorInformation, type ErrorCode } from '@causeway/fspiop'
import { reasons, refuse, type Compatibility } from './refusals.ts'

/** Faults of form: their texts begin with the header, the path parameter or the element. */
export const formCodes = [
  '3001',
  '3100',
  '3101',
  '3102',
  '3103',
] as const satisfies readonly ErrorCode[]

export function errorsPage(compatibility: Compatibility): string {
  const ofForm = formCodes.map((code) =>
    row(['a fault of form', errorCatalogue[code].status, code, `${errorCatalogue[code].name} - …`]),
  )
  const ofReason = reasons.map((reason) => {
    const { status, code, detail } = refuse(reason, compatibility)
    return row([reason, status, code, errorInformation(code, detail).errorDescription])
  })
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Errors of the API for FSPs</title>
<h1>Errors of the API for FSPs</h1>
<p>What is refused at once, before it is acknowledged. Whatever is found later comes as PUT …/error.</p>
<table>
<tr><th>Reason</th><th>Status</th><th>Code</th><th>Description</th></tr>
${[...ofForm, ...ofReason].join('\n')}
</table>
</html>
`
}

function row(cells: readonly (string | number)[]): string {
  return `<tr>${cells.map((cell) => `<td>${escaped(String(cell))}</td>`).join('')}</tr>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
