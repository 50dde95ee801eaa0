import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findBun } from './bun-path.mjs'
import { isInstalledByHand } from './is-installed-by-hand.mjs'
import { npmCommand } from './npm-command.mjs'
import { projectRoot } from './project-root.mjs'
import { runChild } from './run-child.mjs'
import { startProgress } from './start-progress.mjs'
import { stopWith } from './stop-with.mjs'
import { withLock } from './with-lock.mjs'

const modulesFolder = join(projectRoot, 'node_modules')
const stampPath = join(modulesFolder, '.tollgate-installed')
const unfinishedPath = join(modulesFolder, '.tollgate-unfinished')

/** Installs the dependencies of the lockfile unless exactly these are already installed. */
export async function ensureInstalled() {
  if (isCurrent()) return
  await withLock('install', async (addHolder) => {
    if (isCurrent()) return
    const isUnfinished = existsSync(unfinishedPath)
    // A killed install may have left half a package, which npm would accept as complete.
    if (isUnfinished) rmSync(modulesFolder, { recursive: true, force: true })
    if (isUnfinished || !isInstalledByHand() || !findBun()) await install(addHolder)
    writeFileSync(stampPath, wantedStamp())
  })
}

function isCurrent() {
  return (
    existsSync(stampPath) &&
    readFileSync(stampPath, 'utf8') === wantedStamp() &&
    findBun() !== undefined
  )
}

function wantedStamp() {
  const lockfile = readFileSync(join(projectRoot, 'package-lock.json'))
  return `${createHash('sha256').update(lockfile).digest('hex')} ${process.platform} ${process.arch}\n`
}

/** @param {(pid: number) => void} addHolder */
async function install(addHolder) {
  process.stderr.write(
    'Installing the packages of package-lock.json into node_modules\n' +
      '(about 300 MB to download, 700 MB on disk; usually well under a minute).\n',
  )
  mkdirSync(modulesFolder, { recursive: true })
  writeFileSync(unfinishedPath, '')
  const progress = startProgress('Installing packages', { announce: false })
  const { program, leadingArguments } = npmCommand()
  // `install --no-save` uses the versions and hashes of the lockfile and leaves the lockfile unchanged. `ci` would
  // refuse a lockfile that lacks the optional packages of another platform, and would delete the packages of a running
  // gateway. Install scripts are disabled: no package here needs one. Development packages are included, because the
  // console is built with them.
  const what = ['install', '--no-save', '--ignore-scripts', '--include=dev', '--include=optional']
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--progress=false']
  const result = await runChild(program, [...leadingArguments, ...what, ...quiet], {
    cwd: projectRoot,
    capture: true,
    onStart: addHolder,
  }).catch((/** @type {unknown} */ error) => ({ code: 1, isKilled: false, output: String(error) }))
  const elapsedMs = progress.stop()

  if (result.isKilled) process.exit(result.code)
  if (result.code !== 0) {
    process.stderr.write(`${result.output.trimEnd()}\n\n`)
    stopWith(
      'The packages could not be installed; npm says why above. ' +
        'Check the network or the npm registry setting and run the command again.',
    )
  }
  rmSync(unfinishedPath, { force: true })
  process.stderr.write(`Packages installed in ${Math.round(elapsedMs / 1000)} s.\n`)
}
