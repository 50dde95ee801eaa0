import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { bunPath } from './bootstrap/bun-path.mjs'

const root = git('rev-parse', '--show-toplevel').trim()
const staged = list('diff', '--cached', '--name-only', '-z', '--diff-filter=ACMR')
const unstaged = new Set(list('diff', '--name-only', '-z'))
const formatted = /\.(?:tsx?|mts|mjs|jsx?|jsonc?|css|html|md)$/
const linted = /\.(?:tsx?|mts|mjs|jsx?)$/

const files = staged.filter((path) => formatted.test(path))
// A file with unstaged changes is only checked: formatting and staging the file would add those changes to the commit.
const whole = files.filter((path) => !unstaged.has(path))
const partial = files.filter((path) => unstaged.has(path))
const code = staged.filter((path) => linted.test(path))

const steps = [
  () => biome(['check', '--write'], whole),
  () => partial.map(isFormatted).every(Boolean),
  () => run(process.execPath, [program('oxlint/bin/oxlint'), '--deny-warnings'], code),
  () => tidy(staged),
]
const isPassed = steps.map((step) => step()).every(Boolean)
if (whole.length > 0) git('add', '--', ...whole)
if (!isPassed) {
  process.stderr.write(
    'The commit was stopped: fix the findings above, stage the files and commit again.\n',
  )
  process.exit(1)
}

/** @param {string[]} words @param {string[]} paths */
function biome(words, paths) {
  const flags = ['--error-on-warnings', '--no-errors-on-unmatched']
  return run(process.execPath, [program('@biomejs/biome/bin/biome'), ...words, ...flags], paths)
}

/**
 * Checks the staged text of a file, not the text in the working tree.
 * @param {string} path
 */
function isFormatted(path) {
  const input = git('show', `:${path}`)
  const words = [program('@biomejs/biome/bin/biome'), 'format', `--stdin-file-path=${path}`]
  const { stdout, stderr, status } = spawnSync(process.execPath, words, {
    cwd: root,
    input,
    encoding: 'utf8',
  })
  if (status === 0 && stdout === input) return true
  process.stderr.write(
    `${stderr}${path}: the staged text is not formatted. It also has unstaged changes, so it was left alone; ` +
      'run npm run format and stage it again.\n',
  )
  return false
}

/** @param {string} command @param {string[]} words @param {string[]} paths */
function run(command, words, paths) {
  if (paths.length === 0) return true
  return spawnSync(command, [...words, ...paths], { cwd: root, stdio: 'inherit' }).status === 0
}

/**
 * Names can only be checked against the whole project, so all files are read, and only findings in staged files count.
 * @param {string[]} paths
 */
function tidy(paths) {
  if (paths.length === 0) return true
  const script = join(root, 'tools', 'tidy', 'run.ts')
  const { stdout, stderr } = spawnSync(bunPath(), [script], { cwd: root, encoding: 'utf8' })
  if (!/^\d+ files read/m.test(stdout)) {
    process.stderr.write(`${stderr}tidy could not run.\n`)
    return false
  }
  const findings = stdout
    .split(/\n(?=\S)/)
    .filter((each) => paths.includes(each.split(':')[0] ?? ''))
  for (const each of findings) process.stderr.write(`${each}\n`)
  return findings.length === 0
}

/** @param {string} path */
function program(path) {
  return join(root, 'node_modules', path)
}

/** @param {string[]} words */
function list(...words) {
  return git(...words)
    .split('\0')
    .filter((path) => path !== '')
}

/** @param {string[]} words */
function git(...words) {
  return execFileSync('git', words, { encoding: 'utf8' })
}
