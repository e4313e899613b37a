/**
 * A start that cannot succeed: it is reported in plain words, and the process ends with exit code
 * 1.
 */

/**
 * The start is refused for a reason that a person can put right. The message is for that person:
 * one sentence per fault, each on a line of its own, naming the setting, port, folder or right in
 * question.
 */
export class StartError extends Error {
  override readonly name = 'StartError'
}
