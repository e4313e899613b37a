/** Comma-separated values (RFC 4180) without spreadsheet formulas. */

const line_end = '\r\n'

/** One line; cells are quoted where required. */
export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(cellText).join(',')}${line_end}`
}

function cellText(cell: string | number): string {
  const text = typeof cell === 'number' ? String(cell) : harmless(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * A spreadsheet evaluates cells with these prefixes; an apostrophe in front makes them text.
 * Numbers stay numbers.
 */
function harmless(text: string): string {
  return /^[=+@\t\r]|^-(?!\d+(\.\d+)?$)/.test(text) ? `'${text}` : text
}
