import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bunPath } from '../bootstrap/bun-path.mjs'
import { projectRoot } from '../bootstrap/project-root.mjs'
import { runChild } from '../bootstrap/run-child.mjs'
import { countTests } from './count-tests.mjs'
import { listFailures } from './list-failures.mjs'
import { measureSlowness } from './measure-slowness.mjs'

/** Time limit of a single test on an idle machine. */
const testMsMax = 60_000

let parts = 0

/**
 * Runs one part in its own process. Its limits depend on the load of the machine at that moment.
 * @param {import('./plan-parts.mjs').Part} part
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<import('./run-check.mjs').StepResult>}
 */
export async function runPart({ suite, files, names, env: ownEnv }, env) {
  parts += 1
  const reportPath = join(tmpdir(), `tollgate-test-report-${process.pid}-${parts}.xml`)
  const slowness = measureSlowness()
  const bunArguments = [
    'test',
    ...files.map((file) => `./${file}`),
    '--preload=./test/support/preload.ts',
    `--timeout=${Math.ceil(testMsMax * slowness)}`,
    '--reporter=junit',
    `--reporter-outfile=${reportPath}`,
    '--pass-with-no-tests',
    ...(names === undefined ? [] : ['--test-name-pattern', names]),
  ]
  try {
    const { code, output } = await runChild(bunPath(), bunArguments, {
      cwd: projectRoot,
      capture: true,
      env: { ...env, ...ownEnv, TEST_SLOWNESS: slowness.toFixed(2) },
    })
    const report = existsSync(reportPath) ? readFileSync(reportPath, 'utf8') : undefined
    const counts = countTests(report, output, code, names !== undefined)
    const repeat = listFailures(report ?? '', suite)
    return { ...counts, output, code, repeat }
  } finally {
    rmSync(reportPath, { force: true })
  }
}
