import { readFileSync } from 'node:fs'

/** @typedef {{ uid?: number, gid?: number }} Account */

/**
 * Postgres refuses to run as root. Root therefore uses the account `postgres`, or `nobody` where it does not exist. Any
 * other user runs Postgres under their own account.
 * @returns {Account}
 */
export function serverAccount() {
  if (process.getuid?.() !== 0) return {}
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? []
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error(
    'Postgres cannot run as root, and there is no account “postgres” or “nobody” to run it',
  )
}
