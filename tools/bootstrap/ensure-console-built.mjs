import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isConsoleCurrent, stampBuild } from './console-stamp.mjs'
import { projectRoot } from './project-root.mjs'
import { runChild } from './run-child.mjs'
import { startProgress } from './start-progress.mjs'
import { stopWith } from './stop-with.mjs'
import { withLock } from './with-lock.mjs'

const consoleFolder = join(projectRoot, 'console')
const builtFolder = join(consoleFolder, 'dist')
const nextFolder = join(consoleFolder, 'dist.next')
const formerFolder = join(consoleFolder, 'dist.former')

/** Builds the web console unless it was built from exactly the current sources. */
export async function ensureConsoleBuilt() {
  if (!existsSync(join(consoleFolder, 'index.html')) || isCurrent()) return
  await withLock('console', async (addHolder) => {
    if (!isCurrent()) await build(addHolder)
  })
}

function isCurrent() {
  return isConsoleCurrent(builtFolder)
}

/** @param {(pid: number) => void} addHolder */
async function build(addHolder) {
  const vite = join(projectRoot, 'node_modules', 'vite', 'bin', 'vite.js')
  const progress = startProgress('Building the web console')
  // Build beside the current files, then swap: a running gateway never serves half a console, and a failed build leaves
  // the old console in place.
  const viteArguments = ['build', consoleFolder, '--outDir', nextFolder, '--emptyOutDir']
  const result = await stampBuild(nextFolder, () =>
    runChild(process.execPath, [vite, ...viteArguments], {
      cwd: projectRoot,
      capture: true,
      onStart: addHolder,
    }),
  )
  const elapsedMs = progress.stop()
  if (result.isKilled) process.exit(result.code)
  if (result.code !== 0) {
    process.stderr.write(`${result.output.trimEnd()}\n\n`)
    stopWith('The web console could not be built; the reason is above.')
  }
  rmSync(formerFolder, { recursive: true, force: true })
  if (existsSync(builtFolder)) renameSync(builtFolder, formerFolder)
  renameSync(nextFolder, builtFolder)
  rmSync(formerFolder, { recursive: true, force: true })
  process.stderr.write(`Web console built in ${(elapsedMs / 1000).toFixed(1)} s.\n`)
}
