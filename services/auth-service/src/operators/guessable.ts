/**
 * Passwords that a guesser tries first: known ones, rows of keys, sequences, dates, repetitions, and the
 * name, also with a few letters replaced. (NIST SP 800-63B, 5.1.1.2)
 */
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'

/** Of 0 to 4; 3 resists an attacker with the stored hash for a while (10^8 guesses). */
const score_min = 3
/** The effort grows with the length, and so long a password is not guessed. */
const length_max = 64

const estimator = new ZxcvbnFactory({ graphs: adjacencyGraphs, dictionary })

export function isGuessable(name: string, password: string): boolean {
  return estimator.check(password.slice(0, length_max), [name, 'causeway']).score < score_min
}
