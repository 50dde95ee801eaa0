/** The command line is invalid: one sentence, with the exit code for invalid usage. */
export class UsageProblem extends Error {
  override readonly name = 'UsageProblem'
}
