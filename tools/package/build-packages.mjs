import { mkdirSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ensureConsoleBuilt } from '../bootstrap/ensure-console-built.mjs'
import { projectRoot } from '../bootstrap/project-root.mjs'
import { buildExecutable, copyConsole } from './build-executable.mjs'
import { readBuildInfo } from './build-info.mjs'
import { targets } from './targets.mjs'

export async function buildPackages() {
  await ensureConsoleBuilt()
  const info = readBuildInfo()
  const folder = join(projectRoot, 'build', 'package')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const consoleFolder = copyConsole(join(folder, 'program'))
  for (const target of targets) {
    const f = await buildExecutable(target, { commit: info.commit, consoleFolder, folder })
    process.stdout.write(`${basename(f)} ${statSync(f).size}\n`)
  }
}
