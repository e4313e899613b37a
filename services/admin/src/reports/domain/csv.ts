/** Comma-separated values as RFC 4180 has them, which no spreadsheet takes for formulas. */

const line_end = '\r\n'

/** One line; what needs quotes gets them. */
export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(cellText).join(',')}${line_end}`
}

function cellText(cell: string | number): string {
  const text = typeof cell === 'number' ? String(cell) : harmless(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A spreadsheet runs what begins so; an apostrophe in front makes it text. Numbers stay numbers. */
function harmless(text: string): string {
  return /^[=+@\t\r]|^-(?!\d+(\.\d+)?$)/.test(text) ? `'${text}` : text
}
