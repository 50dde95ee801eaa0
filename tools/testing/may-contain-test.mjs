import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { projectRoot } from '../bootstrap/project-root.mjs'

/** Code that reads files may take names of tests from them. */
const readsFiles = /\b(?:readFileSync|readdirSync|readFile|readdir|Bun\.file|Glob)\b/

/**
 * Whether a test of this file can have the word in its name. The word must be in the file, in code of test/ that the
 * file imports directly or indirectly, or in a source that this code imports: tables of tests use the names that
 * sources list. A file is kept if its names may come from elsewhere. Loading the other files would take longer than
 * running the tests that match.
 * @param {string} path from the project's root
 * @param {string} word
 * @returns {boolean}
 */
export function mayContainTest(path, word) {
  // The name may be put together: `${from}-${to}`, or a number.
  if (!/^[a-z-]+$/i.test(word)) return true
  const texts = textsOf(path)
  if (texts.some((text) => readsFiles.test(text))) return true
  return word.split('-').every((piece) => texts.some((text) => text.includes(piece)))
}

/** @param {string} path @returns {string[]} the texts of the file and of what it imports */
function textsOf(path) {
  const seen = new Set([path])
  for (const each of seen) {
    if (!each.startsWith('test/')) continue
    for (const target of importsOf(each)) seen.add(target)
  }
  return [...seen].map(textOf)
}

/** @param {string} path @returns {string[]} */
function importsOf(path) {
  const specifiers = textOf(path).matchAll(/(?:from|import) ?\(?'(\.[^']+)'/g)
  return [...specifiers].map(([, specifier = '']) => posix.join(dirname(path), specifier))
}

/** @type {Map<string, string>} */
const texts = new Map()

/** @param {string} path */
function textOf(path) {
  const full = join(projectRoot, path)
  const text = texts.get(path) ?? (existsSync(full) ? readFileSync(full, 'utf8') : '')
  texts.set(path, text)
  return text
}
