import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** A build of the gateway to measure. */
export interface Build {
  readonly name: string
  readonly entry: string
}

const projectRoot = resolve(import.meta.dir, '../..')
const builder = 'tools/bootstrap/ensure-server-built.mjs'

/**
 * The build to compare with. A folder is a checkout of the project and is built in place. Any other value names a
 * commit, whose files are written below `folder` and built there. Git's list of worktrees stays unchanged, so an
 * interrupted run leaves nothing behind in the repository.
 */
export function buildOther(given: string, folder: string): Build {
  const isFolder = existsSync(given) && statSync(given).isDirectory()
  const root = isFolder ? resolve(given) : checkOut(given, folder)
  if (!existsSync(join(root, builder))) {
    throw new Error(`${given} cannot be built, because it has no ${builder}; choose a later commit`)
  }
  if (!existsSync(join(root, 'node_modules'))) {
    symlinkSync(join(projectRoot, 'node_modules'), join(root, 'node_modules'))
  }
  const script = `await (await import('./${builder}')).ensureServerBuilt()`
  run([process.execPath, '-e', script], root)
  return { name: isFolder ? given : shortName(given), entry: join(root, 'build', 'main.js') }
}

/** Whether another commit requires packages other than the installed ones, which it is built with. */
export function hasOtherPackages(other: Build): boolean {
  const lock = (root: string) => readFileSync(join(root, 'package-lock.json'), 'utf8')
  return lock(projectRoot) !== lock(resolve(other.entry, '../..'))
}

function checkOut(ref: string, folder: string): string {
  const root = join(folder, 'other')
  mkdirSync(root)
  const archive = join(folder, 'other.tar')
  run(['git', 'archive', `--output=${archive}`, `${ref}^{commit}`], projectRoot)
  run(['tar', '-xf', archive, '-C', root], folder)
  return root
}

function shortName(ref: string): string {
  return run(['git', 'rev-parse', '--short', `${ref}^{commit}`], projectRoot).trim()
}

function run(command: string[], cwd: string): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd, stdin: 'ignore' })
  if (exitCode === 0) return stdout.toString()
  const reason = stderr.toString().trim() || stdout.toString().trim()
  throw new Error(`'${command.slice(0, 2).join(' ')}' failed: ${reason}`)
}
