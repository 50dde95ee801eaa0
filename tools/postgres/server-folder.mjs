import { chmodSync, chownSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ownMark, processMark } from '../bootstrap/process-mark.mjs'

const prefix = 'tollgate-test-postgres'

/** The name contains the mark of the owner, so that a later run can recognise leftovers. */
export const serverFolderName = new RegExp(String.raw`^${prefix}-${processMark}-\w+$`)

/**
 * @param {import('./server-account.mjs').Account} account
 * @returns {string}
 */
export function makeServerFolder({ uid, gid }) {
  const folder = mkdtempSync(join(tmpdir(), `${prefix}-${ownMark()}-`))
  chmodSync(folder, 0o700)
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  return folder
}
