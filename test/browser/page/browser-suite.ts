import { describe } from 'bun:test'
import { missingPart } from '../../support/missing-part.ts'
import { findChromium } from './find-chromium.ts'

/** Tests in a real browser. Without a browser the tests are reported as missing and do not run. */
export function browserSuite(name: string, tests: (chromiumPath: string) => void): void {
  const path = findChromium()
  if (path === undefined)
    missingPart(name, 'no Chromium found; install it or name one in TEST_CHROMIUM')
  else describe(name, () => tests(path))
}
