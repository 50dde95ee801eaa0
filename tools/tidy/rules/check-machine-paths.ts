import type { Finding } from '../finding.ts'

const machinePath = /(?<![\w.\-/:*])\/(?:work|root|home|Users)\/[\w.-]+|\b[A-Z]:\\Users\\\w+/u

/** Works on plain text, because documents and settings can contain such paths as well. */
export function checkMachinePaths(path: string, text: string): Finding[] {
  return text.split('\n').flatMap((line, index) => {
    const found = machinePath.exec(line)?.[0]
    if (found === undefined) return []
    const message =
      `${found} is a path of one machine and is wrong on every other. ` +
      'Use a path relative to the project, or a temporary folder.'
    return [{ path, line: index + 1, rule: 'machine-path', message }]
  })
}
