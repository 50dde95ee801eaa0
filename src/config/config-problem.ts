/** The operator's input is wrong: one sentence that says what is wrong, where, and what to do. */
export class ConfigProblem extends Error {
  override readonly name = 'ConfigProblem'
  /** The path of the wrong value, such as `keys[0].quota`, if known. */
  readonly place: string | undefined

  constructor(message: string, { place, ...options }: ErrorOptions & { place?: string } = {}) {
    super(message, options)
    this.place = place
  }
}
