import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../bootstrap/project-root.mjs'

/** @typedef {{ version: string, commit: string, epochSeconds: number, isDirty: boolean }} BuildInfo */

/**
 * The origin of a package. The date is the commit's, so that the same commit gives the same bytes. A build without the
 * repository, as in a container, names the commit in BUILD_COMMIT and its time in SOURCE_DATE_EPOCH. @returns
 * {BuildInfo}
 */
export function readBuildInfo() {
  const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))
  const named = process.env['BUILD_COMMIT']
  if (named) {
    const epochSeconds = Number(process.env['SOURCE_DATE_EPOCH'] ?? 0)
    return { version, commit: named.replace(/[^0-9A-Za-z.-]/g, ''), epochSeconds, isDirty: false }
  }
  const hash = git(['rev-parse', '--short=12', 'HEAD'])
  const isDirty = git(['status', '--porcelain', '--untracked-files=no']) !== ''
  return {
    version,
    commit: isDirty ? `${hash}.dirty` : hash,
    epochSeconds: Number(git(['log', '-1', '--format=%ct'])),
    isDirty,
  }
}

/** @param {readonly string[]} gitArguments @param {string} [cwd] */
export function git(gitArguments, cwd = projectRoot) {
  return execFileSync('git', [...gitArguments], { cwd, encoding: 'utf8' }).trim()
}
