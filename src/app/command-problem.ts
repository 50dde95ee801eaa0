/** The command cannot be executed; the message is one sentence. */
export class CommandProblem extends Error {
  override readonly name = 'CommandProblem'
}
