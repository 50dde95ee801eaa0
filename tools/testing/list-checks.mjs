import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { bunPath } from '../bootstrap/bun-path.mjs'
import { projectRoot } from '../bootstrap/project-root.mjs'

/** @typedef {{ name: string, program: string, programArguments: readonly string[] }} Check */

/**
 * Everything that judges the code without running it.
 * @returns {Check[]}
 */
export function listChecks() {
  const consoleTypes = existsSync(join(projectRoot, 'console', 'tsconfig.json'))
  return [
    nodeCheck('format', '@biomejs/biome/bin/biome', ['check', '--error-on-warnings', '.']),
    nodeCheck('lint', 'oxlint/bin/oxlint', ['--type-aware', '--deny-warnings']),
    nodeCheck('types', 'typescript/bin/tsc', ['--noEmit', '-p', '.']),
    ...(consoleTypes
      ? [nodeCheck('console-types', 'typescript/bin/tsc', ['--noEmit', '-p', 'console'])]
      : []),
    { name: 'tidy', program: bunPath(), programArguments: [join('tools', 'tidy', 'run.ts')] },
    nodeCheck('unused', 'knip/bin/knip.js', ['--no-config-hints']),
  ]
}

/**
 * @param {string} name
 * @param {string} script
 * @param {readonly string[]} scriptArguments
 * @returns {Check}
 */
function nodeCheck(name, script, scriptArguments) {
  const path = join(projectRoot, 'node_modules', script)
  return { name, program: process.execPath, programArguments: [path, ...scriptArguments] }
}
