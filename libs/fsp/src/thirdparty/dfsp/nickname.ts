/** Account names as a PISP may see them before the user has agreed to anything. */

const shown_max = 3

/**
 * Every letter and digit but the last few is an X; at least two thirds of them are hidden. Blanks and
 * punctuation stay, so that the user still knows the account.
 */
export function maskNickname(nickname: string): string {
  const characters = Array.from(nickname)
  const isHideable = (character: string) => /[\p{L}\p{M}\p{N}]/u.test(character)
  const count = characters.filter(isHideable).length
  let hidden = count - Math.min(shown_max, Math.floor(count / 3))
  return characters
    .map((character) => {
      if (!isHideable(character) || hidden === 0) return character
      hidden -= 1
      return 'X'
    })
    .join('')
}
