import { existsSync } from 'node:fs'
import { startProgress } from '../bootstrap/start-progress.mjs'
import { installPackage, mayInstallPackages } from './apt-get.mjs'

const place = '/usr/bin/strace'

/**
 * strace, which kills a process at a chosen system call: the one that TEST_STRACE names, the installed one, or
 * Debian's.
 * @param {NodeJS.ProcessEnv} environment
 * @returns {Promise<{ path: string } | { missing: string }>}
 */
export async function obtainStrace(environment) {
  const path = environment['TEST_STRACE'] ?? place
  if (existsSync(path)) return { path }
  if (path !== place) return { missing: `${path} does not exist` }
  if (!mayInstallPackages()) {
    return { missing: 'no strace; install it, or name one in TEST_STRACE' }
  }
  const progress = startProgress("Installing Debian's strace for the tests (about 1 MB)")
  try {
    await installPackage('strace')
    return { path }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { missing: `strace could not be installed (${reason})` }
  } finally {
    progress.stop()
  }
}
