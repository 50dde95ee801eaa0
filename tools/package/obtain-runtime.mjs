import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../bootstrap/project-root.mjs'
import { stopWith } from '../bootstrap/stop-with.mjs'
import { readLockfile } from './lockfile.mjs'
import { runNpm, runTool } from './run-tool.mjs'
import { runtimeFile } from './targets.mjs'

const cacheFolder = join(projectRoot, 'build', 'runtimes')

/**
 * The Bun binary of a target: the installed one, or one from the npm registry whose hash is the lockfile's.
 * @param {import('./targets.mjs').Target} target
 * @returns {Promise<string>}
 */
export async function obtainRuntime(target) {
  const installed = join(projectRoot, 'node_modules', target.runtime, runtimeFile(target))
  if (existsSync(installed)) return installed
  const { version, integrity } = lockedRuntime(target)
  const folder = join(cacheFolder, `${target.name}-${version}`)
  const file = join(folder, 'package', runtimeFile(target))
  if (!existsSync(file)) await fetchRuntime(`${target.runtime}@${version}`, integrity, folder)
  return file
}

/** @param {import('./targets.mjs').Target} target */
function lockedRuntime({ runtime }) {
  const locked = readLockfile()[`node_modules/${runtime}`]
  if (locked?.integrity === undefined) {
    stopWith(`package-lock.json has no hash of ${runtime}; run "npm install" and commit the file.`)
  }
  return { version: locked.version, integrity: locked.integrity }
}

/**
 * @param {string} spec
 * @param {string} integrity
 * @param {string} folder
 */
async function fetchRuntime(spec, integrity, folder) {
  const next = `${folder}.next`
  rmSync(next, { recursive: true, force: true })
  mkdirSync(next, { recursive: true })
  const output = await runNpm(['pack', spec, '--silent', '--pack-destination', next], { cwd: next })
  const tarball = join(next, output.trim().split('\n').at(-1) ?? '')
  const hash = createHash('sha512').update(readFileSync(tarball)).digest('base64')
  if (`sha512-${hash}` !== integrity) {
    rmSync(next, { recursive: true, force: true })
    stopWith(`${spec} from the registry is not the package that package-lock.json names.`)
  }
  await runTool('tar', ['-xzf', tarball, '-C', next])
  rmSync(tarball)
  rmSync(folder, { recursive: true, force: true })
  renameSync(next, folder)
}
