/** A backup cannot be written, read or restored: one sentence that says why and what to do. */
export class BackupProblem extends Error {
  override readonly name = 'BackupProblem'
}
