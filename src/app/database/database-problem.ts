/** The database, its secret or its folder cannot be used: one sentence that says why and what to do. */
export class DatabaseProblem extends Error {
  override readonly name = 'DatabaseProblem'
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
