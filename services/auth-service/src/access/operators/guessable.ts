/**
 * Passwords that a guesser tries first: known ones, rows of keys, sequences, dates, repetitions, and the
 * name, also with a few letters replaced. (NIST SP 800-63B, 5.1.1.2)
 */

/** Of 0 to 4; 3 resists an attacker with the stored hash for a while (10^8 guesses). */
const score_min = 3
/** The effort grows with the length, and so long a password is not guessed. */
const length_max = 64

type Estimator = Awaited<ReturnType<typeof loadEstimator>>

let loading: Promise<Estimator> | undefined

export async function isGuessable(name: string, password: string): Promise<boolean> {
  loading ??= loadEstimator()
  const estimator = await loading
  return estimator.check(password.slice(0, length_max), [name, 'causeway']).score < score_min
}

/** With the first password: its lists of words would delay every start of a hub. */
async function loadEstimator() {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  return new ZxcvbnFactory({ graphs: adjacencyGraphs, dictionary })
}
