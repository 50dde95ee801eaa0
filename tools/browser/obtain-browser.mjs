import { existsSync } from 'node:fs'
import { startProgress } from '../bootstrap/start-progress.mjs'
import { installPackage, mayInstallPackages } from '../debian/apt-get.mjs'

/** The headless shell comes first: the same engine without a window system takes half the processor time. */
const places = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/**
 * A real browser for the tests: the one that TEST_CHROMIUM names, the installed one, or Debian's. The npm packages for
 * this purpose download a browser from a host that many machines cannot reach.
 * @param {NodeJS.ProcessEnv} environment
 * @returns {Promise<{ path: string } | { missing: string }>}
 */
export async function obtainBrowser(environment) {
  const given = environment['TEST_CHROMIUM']
  if (given) return existsSync(given) ? { path: given } : { missing: `${given} does not exist` }
  const reason = findBrowser() === undefined ? await installChromium() : ''
  const path = findBrowser()
  if (path !== undefined) return { path }
  return { missing: `no Chromium (${reason}); install one, or name it in TEST_CHROMIUM` }
}

function findBrowser() {
  return places.find((place) => existsSync(place))
}

/** @returns {Promise<string>} why it could not be done; empty when it was */
async function installChromium() {
  if (!mayInstallPackages()) return 'none found, and no way to install one as this user'
  const progress = startProgress("Installing Debian's Chromium for the tests (about 100 MB)")
  try {
    await installPackage('chromium-headless-shell').catch(() => installPackage('chromium'))
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    progress.stop()
  }
}
