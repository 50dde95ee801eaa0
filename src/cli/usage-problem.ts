/** The command line cannot be understood: one sentence, and the exit code that says so. */
export class UsageProblem extends Error {
  override readonly name = 'UsageProblem'
}
