import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bunPath } from '../bootstrap/bun-path.mjs'
import { bundleOptions, mainEntry, threadEntries } from '../bootstrap/ensure-server-built.mjs'
import { projectRoot } from '../bootstrap/project-root.mjs'
import { runNpm, runTool } from './run-tool.mjs'

const launcher = 'bin/tollgate.mjs'

/**
 * Builds the npm package: the bundled program, which needs only Bun, and a launcher for Node.
 * @param {{ commit: string, consoleFolder: string, licenses: string, folder: string }} options
 * @returns {Promise<string>} the path of the tarball
 */
export async function buildNpm({ commit, consoleFolder, licenses, folder }) {
  const stage = join(folder, 'npm')
  rmSync(stage, { recursive: true, force: true })
  mkdirSync(join(stage, 'bin'), { recursive: true })
  const program = join(stage, 'program')
  const build = ['build', `--define=builtCommit="${commit}"`]
  // The maps are three times as large as the program.
  const options = bundleOptions.filter((option) => !option.startsWith('--sourcemap'))
  const programBuild = [...build, mainEntry, ...threadEntries, ...options, '--outdir', program]
  await runTool(bunPath(), programBuild, { cwd: projectRoot })
  const launcherSource = join('tools', 'package', 'npm-launcher.mjs')
  const launcherBuild = ['build', '--target=node', launcherSource, '--outfile']
  await runTool(bunPath(), [...launcherBuild, join(stage, launcher)], { cwd: projectRoot })
  writeFileSync(join(stage, 'bin', 'bunfig.toml'), '')
  cpSync(consoleFolder, join(program, 'console'), { recursive: true })
  for (const name of ['LICENSE', 'README.md'])
    copyFileSync(join(projectRoot, name), join(stage, name))
  writeFileSync(join(stage, 'THIRD-PARTY-LICENSES.txt'), licenses)
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`)
  const output = await runNpm(
    ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder],
    {
      cwd: stage,
    },
  )
  rmSync(stage, { recursive: true })
  return join(folder, output.trim().split('\n').at(-1) ?? '')
}

function manifest() {
  const source = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))
  const { name, version, description, license, engines, dependencies } = source
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    engines,
    bin: { [name]: launcher },
    files: ['bin', 'program', 'THIRD-PARTY-LICENSES.txt'],
    dependencies: { bun: dependencies.bun },
  }
}
