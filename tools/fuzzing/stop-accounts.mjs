import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { bunPath } from '../bootstrap/bun-path.mjs'

/**
 * Makes balances wrong, which no operation can do, and stops the accounts, as the self-audit does when it finds this.
 * @param {string} folder of the gateway's data
 * @param {readonly (string | number)[]} accounts
 */
export function stopAccounts(folder, accounts) {
  const program = `
    const [path, ...accounts] = process.argv.slice(1)
    const { Database } = await import('bun:sqlite')
    const db = new Database(path)
    db.run('PRAGMA busy_timeout = 10000')
    const insert = db.prepare('INSERT INTO audit_stop (account_id, found_at, findings) VALUES (?, ?, ?)')
    const spoil = db.prepare('UPDATE account SET available_nano = available_nano + 1 WHERE id = ?')
    for (const id of accounts) {
      spoil.run(id)
      insert.run(id, Date.now(), 'made for a test')
    }
    db.close()`
  const file = join(folder, 'tollgate.db')
  const { status, stderr } = spawnSync(bunPath(), ['-e', program, file, ...accounts.map(String)], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`The accounts could not be stopped: ${stderr}`)
}
