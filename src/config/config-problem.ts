/** Something that the operator wrote is wrong: one sentence that says what, where, and what to do. */
export class ConfigProblem extends Error {
  override readonly name = 'ConfigProblem'
}
