import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'

const saltBytes = 16
const hashBytes = 32

/**
 * What Postgres stores of a password, with one iteration of the hash instead of 4,096: a random password cannot be
 * guessed, and tests open thousands of sessions. Clients refuse so few iterations, so the server must ask for the
 * password itself.
 * @param {string} password
 * @returns {string}
 */
export function quickVerifier(password) {
  const salt = randomBytes(saltBytes)
  const salted = pbkdf2Sync(password, salt, 1, hashBytes, 'sha256')
  /** @param {string} label */
  const keyOf = (label) => createHmac('sha256', salted).update(label).digest()
  const stored = createHash('sha256').update(keyOf('Client Key')).digest('base64')
  const server = keyOf('Server Key').toString('base64')
  return `SCRAM-SHA-256$1:${salt.toString('base64')}$${stored}:${server}`
}
