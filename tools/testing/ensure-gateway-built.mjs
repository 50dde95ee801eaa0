import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuilt } from '../bootstrap/ensure-built.mjs'
import { builtFolder, bundleOptions, threadEntries } from '../bootstrap/ensure-server-built.mjs'
import { projectRoot } from '../bootstrap/project-root.mjs'
import { copyConsole, selfContained } from '../package/build-executable.mjs'

const entry = 'test/support/tested-gateway.ts'
const slowTime = 'test/support/slow-time.ts'
const consoleSource = 'console/dist'

/**
 * Builds the gateway that most tests start as a process of its own: an executable like that of a package, with bytecode.
 * A start takes half the CPU time, and the tests start about 300. Packages have no bytecode (decision 50).
 * @returns {Promise<string>} the program to run
 */
export async function ensureGatewayBuilt() {
  const folder = join(builtFolder, 'tested')
  const program = join(folder, 'tollgate')
  // Bun writes source maps beside the program, which contains them.
  const work = join(folder, 'work')
  const built = join(work, 'tollgate')
  await ensureBuilt({
    lock: 'tested-gateway',
    stampPath: join(folder, '.built-from'),
    moreSources: [entry, slowTime, consoleSource],
    prepare: () => [
      '--compile',
      ...selfContained,
      entry,
      ...threadEntries,
      ...bundleOptions,
      '--format=esm',
      '--bytecode',
      '--define=isExecutable=true',
      ...(existsSync(join(projectRoot, consoleSource)) ? [`--asset=${copyConsole(folder)}`] : []),
      `--outfile=${built}`,
    ],
    finish: () => {
      renameSync(built, program)
      rmSync(work, { recursive: true })
    },
  })
  return program
}
