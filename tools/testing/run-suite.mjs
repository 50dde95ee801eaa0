import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bunPath } from '../bootstrap/bun-path.mjs'
import { projectRoot } from '../bootstrap/project-root.mjs'
import { runChild } from '../bootstrap/run-child.mjs'
import { countTests } from './count-tests.mjs'

const timeoutMs = 60_000

/**
 * @param {string} suite
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<import('./run-check.mjs').StepResult>}
 */
export async function runSuite(suite, env) {
  const reportPath = join(tmpdir(), `tollgate-test-report-${process.pid}-${suite}.xml`)
  const report = ['--reporter=junit', `--reporter-outfile=${reportPath}`]
  try {
    const bunArguments = [
      'test',
      `./test/${suite}`,
      `--timeout=${timeoutMs}`,
      ...report,
      '--pass-with-no-tests',
    ]
    const { code, output } = await runChild(bunPath(), bunArguments, {
      cwd: projectRoot,
      capture: true,
      env,
    })
    const reportText = existsSync(reportPath) ? readFileSync(reportPath, 'utf8') : undefined
    return { ...countTests(reportText, output, code), output, code }
  } finally {
    rmSync(reportPath, { force: true })
  }
}
