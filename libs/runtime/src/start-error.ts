/** A start that cannot succeed says so in plain words and ends the process with exit code 1. */

/**
 * The start is refused for a reason that a person can put right. The message is for that person: one
 * sentence per fault, each on a line of its own, naming the setting, port, folder or right in question.
 */
export class StartError extends Error {
  override readonly name = 'StartError'
}
