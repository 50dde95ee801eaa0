/**
 * @param {number} pid
 * @returns {boolean}
 */
export function isAlive(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process of another user exists, although no signal may be sent to it.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
