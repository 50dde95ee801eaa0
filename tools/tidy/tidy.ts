import type { Finding, Rule } from './finding.ts'
import { checkBun } from './rules/check-bun.ts'
import { checkConsole } from './rules/check-console.ts'
import { checkDefaultExport } from './rules/check-default-export.ts'
import { checkEnvironment } from './rules/check-environment.ts'
import { checkFileLength } from './rules/check-file-length.ts'
import { checkFileName } from './rules/check-file-name.ts'
import { checkFormInputs } from './rules/check-form-inputs.ts'
import { checkImportCycles } from './rules/check-import-cycles.ts'
import { checkImportPaths } from './rules/check-import-paths.ts'
import { checkImports } from './rules/check-imports.ts'
import { checkJobNames } from './rules/check-job-names.ts'
import { checkJsonParse } from './rules/check-json-parse.ts'
import { checkMachinePaths } from './rules/check-machine-paths.ts'
import { checkMoneyColumns } from './rules/check-money-columns.ts'
import { checkNames } from './rules/check-names.ts'
import { checkProtocolNames } from './rules/check-protocol-names.ts'
import { checkSkippedTests } from './rules/check-skipped-tests.ts'
import { checkTables } from './rules/check-tables.ts'
import { checkTestPlace } from './rules/check-test-place.ts'
import { checkTypeNames } from './rules/check-type-names.ts'
import { checkVocabulary } from './rules/check-vocabulary.ts'
import { type ProjectFile, parseSourceFile, type SourceFile } from './source-file.ts'

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
  checkProtocolNames,
  checkSkippedTests,
  checkTestPlace,
  checkTables,
  checkMoneyColumns,
  checkFormInputs,
]

/** All findings in a project: those of single files, and those that need all files. */
export function tidyProject(files: readonly ProjectFile[]): Finding[] {
  const sources = new Map<string, SourceFile>()
  for (const { path, text } of files) {
    if (codeName.test(path)) sources.set(path, parseSourceFile(path, text))
  }
  const each = files.flatMap(({ path, text }) => tidyFile(path, text, sources.get(path)))
  return [
    ...each,
    ...checkNames(files, sources),
    ...checkTypeNames(sources),
    ...checkImportCycles(sources),
    ...checkImportPaths(sources),
    ...checkJobNames(sources),
    ...checkVocabulary(sources),
  ]
}

/** All findings in one file, given as its path from the project's root and its text. */
export function tidy(path: string, text: string): Finding[] {
  return tidyFile(path, text, codeName.test(path) ? parseSourceFile(path, text) : undefined)
}

function tidyFile(path: string, text: string, file: SourceFile | undefined): Finding[] {
  const findings = checkMachinePaths(path, text)
  if (file === undefined) return findings
  const broken = file.syntaxErrors.map((message) => ({ path, line: 1, rule: 'syntax', message }))
  return [...findings, ...broken, ...rules.flatMap((rule) => rule(file))]
}
