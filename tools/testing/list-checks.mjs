import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { bunPath } from '../bootstrap/bun-path.mjs'
import { projectRoot } from '../bootstrap/project-root.mjs'

/** @typedef {{ name: string, program: string, programArguments: readonly string[], env?: Record<string, string> }} Check */

/**
 * The compiler and the linter's type checker are written in Go. They keep nearly everything that they allocate, so Go's
 * garbage collector works only near the memory limit, which they do not reach. It took up to a quarter of the time.
 */
const largeHeap = { GOGC: 'off', GOMEMLIMIT: '3GiB' }

/**
 * Several checkers each check the shared files again. One checker takes a quarter less processor time in all. The
 * linter starts one checker for each thread of Go.
 */
const typeCheck = ['--noEmit', '--singleThreaded', '-p']
const oneChecker = { ...largeHeap, GOMAXPROCS: '1' }

const knip = join('node_modules', 'knip', 'bin', 'knip.js')

/**
 * All checks that judge the code without running it.
 * @returns {Check[]}
 */
export function listChecks() {
  const consoleTypes = existsSync(join(projectRoot, 'console', 'tsconfig.json'))
  return [
    nodeCheck('format', '@biomejs/biome/bin/biome', ['check', '--error-on-warnings', '.']),
    nodeCheck('lint', 'oxlint/bin/oxlint', ['--type-aware', '--deny-warnings'], oneChecker),
    nodeCheck('types', 'typescript/bin/tsc', [...typeCheck, '.'], largeHeap),
    ...(consoleTypes
      ? [nodeCheck('console-types', 'typescript/bin/tsc', [...typeCheck, 'console'], largeHeap)]
      : []),
    { name: 'tidy', program: bunPath(), programArguments: [join('tools', 'tidy', 'run.ts')] },
    // Bun takes a third less processor time for it than Node.
    { name: 'unused', program: bunPath(), programArguments: [knip, '--no-config-hints'] },
  ]
}

/**
 * @param {string} name
 * @param {string} script
 * @param {readonly string[]} scriptArguments
 * @param {Record<string, string>} [env]
 * @returns {Check}
 */
function nodeCheck(name, script, scriptArguments, env = {}) {
  const path = join(projectRoot, 'node_modules', script)
  return { name, program: process.execPath, programArguments: [path, ...scriptArguments], env }
}
