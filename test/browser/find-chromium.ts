import { existsSync } from 'node:fs'

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** The browser that TEST_CHROMIUM names, or one from where systems put it; undefined when there is none. */
export function findChromium(): string | undefined {
  const named = process.env['TEST_CHROMIUM']
  return (named === undefined ? places : [named]).find(existsSync)
}
