import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { projectRoot } from './project-root.mjs'

const generatedFolders = new Set(['dist', 'dist.next', 'dist.former', 'node_modules'])

/**
 * A text that changes when any of these files, or any file below these folders, changes.
 * @param {string[]} places
 */
export function sourceStamp(places) {
  const hash = createHash('sha256')
  const paths = places.filter((place) => existsSync(place)).flatMap(listFiles)
  for (const path of paths.sort()) {
    const content = readFileSync(path)
    hash.update(`${relative(projectRoot, path)} ${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}

/**
 * @param {string} place
 * @returns {string[]}
 */
function listFiles(place) {
  try {
    return readdirSync(place, { withFileTypes: true }).flatMap((entry) => {
      if (entry.isDirectory() && generatedFolders.has(entry.name)) return []
      return entry.isDirectory() || entry.isFile() ? listFiles(join(place, entry.name)) : []
    })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return [place]
    throw error
  }
}
