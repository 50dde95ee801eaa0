/** Something that the operator wrote is wrong: one sentence that says what, where, and what to do. */
export class ConfigProblem extends Error {
  override readonly name = 'ConfigProblem'
  /** The value that is wrong, such as `keys[0].quota`, where that is known. */
  readonly place: string | undefined

  constructor(message: string, { place, ...options }: ErrorOptions & { place?: string } = {}) {
    super(message, options)
    this.place = place
  }
}
