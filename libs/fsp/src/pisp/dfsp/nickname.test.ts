import { expect, test } from '@jest/globals'
import { maskNickname } from './nickname.ts'

test.each([
  ['Savings 0012345678', 'XXXXXXX XXXXXXX678'],
  ['Chequing', 'XXXXXXng'],
  ['บัญชีหลัก', 'XXXXXXลัก'],
  ['ab', 'XX'],
  ['', ''],
])('The account name "%s" is shown to a PISP as "%s"', (nickname, masked) => {
  expect(maskNickname(nickname)).toBe(masked)
})
