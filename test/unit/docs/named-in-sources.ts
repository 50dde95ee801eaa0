import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path, text: readFileSync(join('src', path), 'utf8') }))

/** Whether a source file other than the one with the list has the word as a string. */
export function isNamedInSources(word: string, list: string): boolean {
  return sources.some(({ path, text }) => path !== list && text.includes(`'${word}'`))
}
