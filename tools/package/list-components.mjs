import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bunPath } from '../bootstrap/bun-path.mjs'
import { mainEntry } from '../bootstrap/ensure-server-built.mjs'
import { projectRoot } from '../bootstrap/project-root.mjs'
import { readLockfile, resolvePackage } from './lockfile.mjs'
import { runTool } from './run-tool.mjs'

/**
 * @typedef {object} Component a package of others that is inside a Tollgate package
 * @property {string} name
 * @property {string} version
 * @property {string} license
 * @property {string} folder
 * @property {string | undefined} integrity
 * @property {readonly string[]} needs folders of the components that it depends on
 */

const inPackage = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/

/**
 * Everything from npm that is inside a package: the runtime, and the packages with a module in the program or the
 * console, which a bundler reports.
 * @returns {Promise<Component[]>} sorted by folder
 */
export async function listComponents() {
  const packages = readLockfile()
  const folders = new Set(['node_modules/bun', ...(await bundledFolders())])
  return [...folders].sort().map((folder) => {
    const locked = packages[folder]
    if (locked === undefined) throw new Error(`package-lock.json does not list ${folder}`)
    return {
      name: folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version: locked.version,
      license: locked.license ?? 'unknown',
      folder,
      integrity: locked.integrity,
      needs: Object.keys(locked.dependencies ?? {})
        .map((name) => resolvePackage(packages, folder, name))
        .filter((needed) => needed !== undefined)
        .filter((needed) => folders.has(needed)),
    }
  })
}

/** @returns {Promise<string[]>} such as `node_modules/zod` */
async function bundledFolders() {
  const scratch = mkdtempSync(join(tmpdir(), 'tollgate-components-'))
  try {
    const report = join(scratch, 'report.json')
    const entries = [mainEntry, 'console/src/main.tsx']
    const options = ['--target=bun', '--splitting', '--outdir', scratch, `--metafile=${report}`]
    await runTool(bunPath(), ['build', ...entries, ...options], { cwd: projectRoot })
    const { inputs } = JSON.parse(readFileSync(report, 'utf8'))
    return Object.keys(inputs).flatMap((path) => inPackage.exec(path.replaceAll('\\', '/')) ?? [])
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
