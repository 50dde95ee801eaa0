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
    // The process belongs to another user: it exists, but this user may not signal it.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
