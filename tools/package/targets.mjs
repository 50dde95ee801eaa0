/**
 * @typedef {object} Target
 * @property {string} name as in the file names of a release
 * @property {string} runtime the npm package with Bun for this system
 * @property {string} [debian] Debian's name of the processor, for systems that get a Debian package
 */

/** @type {readonly Target[]} */
export const targets = [
  { name: 'linux-x64', runtime: '@oven/bun-linux-x64', debian: 'amd64' },
  { name: 'linux-arm64', runtime: '@oven/bun-linux-aarch64', debian: 'arm64' },
  { name: 'linux-x64-musl', runtime: '@oven/bun-linux-x64-musl' },
  { name: 'linux-arm64-musl', runtime: '@oven/bun-linux-aarch64-musl' },
  { name: 'darwin-x64', runtime: '@oven/bun-darwin-x64' },
  { name: 'darwin-arm64', runtime: '@oven/bun-darwin-aarch64' },
  { name: 'windows-x64', runtime: '@oven/bun-windows-x64' },
]

/** @param {Target} target */
export function executableName({ name }) {
  return `tollgate-${name}${exeSuffix(name)}`
}

/** @param {Target} target the path of Bun in its npm package */
export function runtimeFile({ name }) {
  return `bin/bun${exeSuffix(name)}`
}

/** @param {string} name */
function exeSuffix(name) {
  return name.startsWith('windows') ? '.exe' : ''
}
