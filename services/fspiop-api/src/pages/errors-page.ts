/**
 * The page that lists the refusals of the edge with their texts. It is generated once at the start from
 * the same tables as the refusals, and served at `GET /errors`.
 */
import { escapedHtml } from '@causeway/http'
import { errorCatalogue, errorInformation, type ErrorCode } from '@causeway/fspiop'
import { reasons, refuse, type Compatibility } from '../refusals.ts'

/** Format errors: their texts begin with the header, the path parameter or the element. */
export const formCodes = [
  '3001',
  '3100',
  '3101',
  '3102',
  '3103',
] as const satisfies readonly ErrorCode[]

export function errorsPage(compatibility: Compatibility): string {
  const ofForm = formCodes.map((code) =>
    row(['invalid format', errorCatalogue[code].status, code, `${errorCatalogue[code].name} - …`]),
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
<p>The reasons for refusing a request before it is acknowledged. Later errors are sent as PUT …/error.</p>
<table>
<tr><th>Reason</th><th>Status</th><th>Code</th><th>Description</th></tr>
${[...ofForm, ...ofReason].join('\n')}
</table>
</html>
`
}

function row(cells: readonly (string | number)[]): string {
  return `<tr>${cells.map((cell) => `<td>${escapedHtml(String(cell))}</td>`).join('')}</tr>`
}
