import { describe, expect, test } from '@jest/globals'
import { csvLine } from './csv.ts'

describe('a line', () => {
  test('A line separates its cells by commas and ends as RFC 4180 requires', () => {
    expect(csvLine(['a', 7, '', '-10.5'])).toBe('a,7,,-10.5\r\n')
  })

  test.each([
    ['a,b', '"a,b"'],
    ['say "no"', '"say ""no"""'],
    ['two\nlines', '"two\nlines"'],
  ])('A line quotes %j', (cell, shown) => {
    expect(csvLine([cell])).toBe(`${shown}\r\n`)
  })

  test.each(['=1+1', '+1', '@sum', '-cmd', '-1-1'])('The formula %s becomes text', (cell) => {
    expect(csvLine([cell])).toBe(`'${cell}\r\n`)
  })
})
