import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../bootstrap/project-root.mjs'
import { stopWith } from '../bootstrap/stop-with.mjs'
import { git, readBuildInfo } from './build-info.mjs'
import { buildPackages } from './build-packages.mjs'
import { runTool } from './run-tool.mjs'
import { writeSums } from './write-sums.mjs'

/** Builds everything that a release publishes, from a clean checkout of its tag. */
export async function buildRelease() {
  const { version, epochSeconds } = readBuildInfo()
  const problem = findProblem(version)
  if (problem !== undefined) stopWith(problem)
  const folder = join(projectRoot, 'build', 'release')
  await buildPackages(['--out', folder])
  const archives = [
    { name: `tollgate-deploy-${version}`, path: 'deploy' },
    // Helm expects a folder with the name of the chart.
    { name: `tollgate-chart-${version}`, path: 'deploy/helm/tollgate', prefix: 'tollgate' },
    { name: `tollgate-source-${version}`, path: '' },
  ]
  for (const { name, path, prefix = name } of archives) {
    await writeArchive(join(folder, `${name}.tar`), { path, prefix, epochSeconds })
  }
  writeSums(folder)
  process.stdout.write(`${folder}\n`)
}

/**
 * Packs the committed files of a folder, which are the files on disk in a clean checkout. The archive depends on nothing
 * but the commit: not on the umask, the user or the time of the checkout. `git archive` takes the time of the commit only
 * for whole commits.
 * @param {string} file
 * @param {{ path: string, prefix: string, epochSeconds: number }} options
 */
async function writeArchive(file, { path, prefix, epochSeconds }) {
  const list = `${file}.list`
  const folder = join(projectRoot, path)
  writeFileSync(list, git(['ls-files', '-z', '--', '.'], folder))
  await runTool(
    'tar',
    [
      '--create',
      `--file=${file}`,
      '--format=gnu',
      `--mtime=@${epochSeconds}`,
      '--owner=0',
      '--group=0',
      '--numeric-owner',
      '--mode=u=rwX,go=rX',
      `--transform=flags=r;s,^,${prefix}/,`,
      '--null',
      '--verbatim-files-from',
      `--files-from=${list}`,
    ],
    { cwd: folder, env: { ...process.env, LC_ALL: 'C' } },
  )
  rmSync(list)
  await runTool('gzip', ['-n', '-9', file])
}

/** @param {string} version */
function findProblem(version) {
  if (git(['status', '--porcelain']) !== '') {
    return 'The working tree has changes. A release is built from a clean checkout of its tag.'
  }
  const tag = `v${version}`
  if (!git(['tag', '--points-at', 'HEAD']).split('\n').includes(tag)) {
    return `The commit has no tag ${tag}, which package.json names. Check out the tag, or create it first.`
  }
  return undefined
}
