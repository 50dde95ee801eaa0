import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isMusl } from './is-musl.mjs'
import { projectRoot } from './project-root.mjs'
import { stopWith } from './stop-with.mjs'

// Where Bun's install script would put the binary, the package has a placeholder script of a few hundred bytes.
const smallestBinaryBytes = 1_000_000

/**
 * Path of the Bun binary for this platform. Bun's own install script moves the binary from the platform's package into
 * the package `bun`. Where npm blocks such scripts, the binary stays. Both places are checked.
 * @param {readonly string[]} [modulesFolders]
 * @returns {string | undefined}
 */
export function findBun(modulesFolders = [join(projectRoot, 'node_modules')]) {
  const executable = process.platform === 'win32' ? 'bun.exe' : 'bun'
  const places = modulesFolders.flatMap((folder) => [
    join(folder, '@oven', platformPackage(), 'bin', executable),
    join(folder, 'bun', 'bin', 'bun.exe'),
  ])
  return places.find((path) => existsSync(path) && statSync(path).size > smallestBinaryBytes)
}

/**
 * @param {readonly string[]} [modulesFolders]
 * @returns {string}
 */
export function bunPath(modulesFolders) {
  return (
    findBun(modulesFolders) ??
    stopWith(
      `The runtime Bun for this machine (@oven/${platformPackage()}) is not in node_modules. ` +
        'Delete the folder node_modules and run the command again; if that does not help, ' +
        'npm may be set to leave out optional packages (npm config get omit).',
    )
  )
}

/** @returns {string} */
function platformPackage() {
  const systemNames = new Map([
    ['win32', 'windows'],
    ['android', 'linux'],
  ])
  const system = systemNames.get(process.platform) ?? process.platform
  const processor = process.arch === 'arm64' ? 'aarch64' : process.arch
  return `bun-${system}-${processor}${libraryFlavour()}`
}

function libraryFlavour() {
  if (process.platform === 'android') return '-android'
  return isMusl() ? '-musl' : ''
}
