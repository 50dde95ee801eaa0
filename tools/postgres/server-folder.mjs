import { chmodSync, chownSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The name carries the id of the test run that made it, so that a later run can tell leftovers. */
export const serverFolderName = /^tollgate-test-postgres-(\d+)-\w+$/

/**
 * @param {import('./server-account.mjs').Account} account
 * @returns {string}
 */
export function makeServerFolder({ uid, gid }) {
  const folder = mkdtempSync(join(tmpdir(), `tollgate-test-postgres-${process.pid}-`))
  chmodSync(folder, 0o700)
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  return folder
}
