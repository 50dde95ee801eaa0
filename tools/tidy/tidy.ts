import type { Finding, Rule } from './finding.ts'
import { checkBun } from './rules/check-bun.ts'
import { checkConsole } from './rules/check-console.ts'
import { checkDefaultExport } from './rules/check-default-export.ts'
import { checkEnvironment } from './rules/check-environment.ts'
import { checkFileLength } from './rules/check-file-length.ts'
import { checkFileName } from './rules/check-file-name.ts'
import { checkImports } from './rules/check-imports.ts'
import { checkJsonParse } from './rules/check-json-parse.ts'
import { checkMachinePaths } from './rules/check-machine-paths.ts'
import { checkSkippedTests } from './rules/check-skipped-tests.ts'
import { checkTestPlace } from './rules/check-test-place.ts'
import { parseSourceFile } from './source-file.ts'

const codeName = /\.(?:ts|tsx|mts|js|jsx|mjs)$/
const rules: readonly Rule[] = [
  checkImports,
  checkFileLength,
  checkFileName,
  checkEnvironment,
  checkBun,
  checkDefaultExport,
  checkConsole,
  checkJsonParse,
  checkSkippedTests,
  checkTestPlace,
]

/** All findings in one file, given as its path from the project's root and its text. */
export function tidy(path: string, text: string): Finding[] {
  const findings = checkMachinePaths(path, text)
  if (!codeName.test(path)) return findings
  const file = parseSourceFile(path, text)
  const broken = file.syntaxErrors.map((message) => ({ path, line: 1, rule: 'syntax', message }))
  return [...findings, ...broken, ...rules.flatMap((rule) => rule(file))]
}
