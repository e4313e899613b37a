/** Account names as a PISP sees them before the user has consented to anything. */

const shown_max = 3

/**
 * Replaces every letter and digit but the last few by X; at least two thirds are masked. Blanks and
 * punctuation stay, so that the user still recognizes the account.
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
