import type { Finding } from '../finding.ts'
import type { SourceFile } from '../source-file.ts'

const testName = /[._](?:test|spec)\.\w+$/
const suitePlace = /^test\/(?!support\/)[^/]+\//

/** `npm test` runs the folders of test/ one by one; a test elsewhere would never run. */
export function checkTestPlace(file: SourceFile): Finding[] {
  if (!testName.test(file.path) || suitePlace.test(file.path)) return []
  const message =
    'this test is outside every suite, so npm test does not run it. Move it to test/<suite>/.'
  return [{ path: file.path, line: 1, rule: 'test-place', message }]
}
