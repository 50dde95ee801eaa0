import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const sumsName = 'SHA256SUMS'

/**
 * Writes the hashes of all files of a folder, without its subfolders, in the format of sha256sum.
 * @param {string} folder
 */
export function writeSums(folder) {
  const lines = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== sumsName)
    .map(({ name }) => name)
    .sort()
    .map((name) => `${hashOf(join(folder, name))}  ${name}\n`)
  writeFileSync(join(folder, sumsName), lines.join(''))
}

/** @param {string} file */
function hashOf(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}
