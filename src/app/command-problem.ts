/** What the command asks for cannot be done: one sentence. */
export class CommandProblem extends Error {
  override readonly name = 'CommandProblem'
}
