import { chmodSync, chownSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The name contains the process id of the test run, so that a later run can recognise leftovers. */
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
