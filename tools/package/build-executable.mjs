import { chmodSync, cpSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { bunPath } from '../bootstrap/bun-path.mjs'
import { bundleOptions, threadEntries } from '../bootstrap/ensure-server-built.mjs'
import { projectRoot } from '../bootstrap/project-root.mjs'
import { obtainRuntime } from './obtain-runtime.mjs'
import { runTool } from './run-tool.mjs'
import { executableName } from './targets.mjs'

// A file in the working directory must not change how the program runs: Bun would read `.env` and `bunfig.toml` there.
export const selfContained = ['--no-compile-autoload-dotenv', '--no-compile-autoload-bunfig']

/**
 * Builds one file with runtime, program, threads and console. The console's files must be in `consoleFolder`, whose last
 * name is the folder that the program looks for beside its own file.
 * @param {import('./targets.mjs').Target} target
 * @param {{ commit: string, consoleFolder: string, folder: string }} options
 * @returns {Promise<string>} its path
 */
export async function buildExecutable(target, { commit, consoleFolder, folder }) {
  const runtime = await obtainRuntime(target)
  const file = join(folder, executableName(target))
  // The source maps are inside the file; Bun writes copies beside it, which nobody needs.
  const work = join(folder, 'work')
  const built = join(work, executableName(target))
  await runTool(
    bunPath(),
    [
      'build',
      '--compile',
      ...selfContained,
      join('tools', 'package', 'executable.ts'),
      ...threadEntries,
      ...bundleOptions.filter((option) => !option.startsWith('--target')),
      `--target=bun-${target.name}`,
      `--compile-executable-path=${runtime}`,
      `--define=builtCommit="${commit}"`,
      '--define=isExecutable=true',
      `--asset=${consoleFolder}`,
      `--outfile=${built}`,
    ],
    { cwd: projectRoot },
  )
  renameSync(built, file)
  rmSync(work, { recursive: true })
  chmodSync(file, 0o755)
  return file
}

/**
 * Copies the built console without the notes of its build.
 * @param {string} folder
 * @returns {string} the copy
 */
export function copyConsole(folder) {
  const copy = join(folder, 'console')
  rmSync(copy, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const source = join(projectRoot, 'console', 'dist')
  cpSync(source, copy, { recursive: true, filter: (path) => !/^\.[a-z]/.test(basename(path)) })
  return copy
}
