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
  // `git archive` takes the files of the commit with the time of the commit.
  for (const [name, path] of [
    [`tollgate-deploy-${version}`, 'deploy'],
    [`tollgate-chart-${version}`, 'deploy/helm/tollgate'],
    [`tollgate-source-${version}`, ''],
  ]) {
    const file = join(folder, `${name}.tar`)
    const tree = path === '' ? 'HEAD' : `HEAD:${path}`
    const mtime = `--mtime=@${epochSeconds}`
    await runTool(
      'git',
      ['archive', mtime, `--prefix=${prefixOf(name ?? '', version)}/`, `--output=${file}`, tree],
      {
        cwd: projectRoot,
      },
    )
    await runTool('gzip', ['-n', '-9', file])
  }
  writeSums(folder)
  process.stdout.write(`${folder}\n`)
}

/** @param {string} name @param {string} version Helm expects a folder with the name of the chart */
function prefixOf(name, version) {
  return name === `tollgate-chart-${version}` ? 'tollgate' : name
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
