import type { z } from 'zod'
import { fillWords, type Problem, problemWords, readSaid } from '../fields/problems.ts'
import { ConfigProblem } from './config-problem.ts'
import { secretFields } from './provision-schema.ts'
import type { YamlFile, YamlPath } from './yaml-file.ts'

/** What is said of texts, which YAML takes for a number or a flag unless they stand in quotes. */
const textProblems: readonly Problem[] = [
  'text_wrong',
  'id_wrong',
  'name_wrong',
  'email_wrong',
  'instant_wrong',
  'address_wrong',
  'credential_wrong',
  'key_value_wrong',
]

const listProblems: readonly Problem[] = [
  'groups_none',
  'groups_many',
  'models_many',
  'addresses_many',
  'list_long',
]

type Issue = z.core.$ZodIssue

/** Of everything that is wrong the first thing a reader of the file would come upon; misspelt names before all. */
export function explainIssues(file: YamlFile, issues: readonly Issue[]): ConfigProblem {
  const ranked = issues
    .map((issue) => ({ issue, place: placeOf(file, issue) }))
    .sort((left, right) => rank(left.issue) - rank(right.issue))
  const first = ranked[0]
  return new ConfigProblem(
    first ? explain(file, first.issue, first.place) : `${file.path} is wrong.`,
  )
}

function rank(issue: Issue): number {
  return issue.code === 'unrecognized_keys' ? 0 : 1
}

function placeOf(file: YamlFile, issue: Issue): string {
  const unknown = issue.code === 'unrecognized_keys' ? (issue.keys[0] ?? '') : undefined
  return file.whereIs(unknown === undefined ? issue.path : [...issue.path, unknown])
}

function explain(file: YamlFile, issue: Issue, where: string): string {
  const message = wordsOf(issue, valueAt(file.value, issue.path))
  const path = writtenPath(file.value, issue.path)
  if (issue.code === 'unrecognized_keys') {
    const typed = issue.keys[0] ?? ''
    return path.length === 0
      ? `${where}: unknown setting "${typed}"${message}`
      : `${where}: unknown name "${typed}" in ${pathText(path)}${message}`
  }
  const value = valueAt(file.value, path)
  const last = path.at(-1)
  if (value === undefined && path.length > 0) {
    return `${where}: ${pathText(path.slice(0, -1))} needs "${String(last)}"; add it.`
  }
  if (/[.?]$/.test(message)) return `${where}: ${pathText(path)} ${message}`
  const isSecret = issue.path.some((step) => secretFields.includes(String(step)))
  const shown = isSecret || isOfList(issue) ? '' : shownValue(value)
  return `${where}: ${pathText(path)} ${message}${shown}.`
}

/** What is wrong with a list as a whole is not told better by saying that there is a list. */
function isOfList({ message }: Issue): boolean {
  return listProblems.includes(readSaid(message)?.problem ?? 'value_wrong')
}

/** The schemas of managed things say what is wrong by a code. */
function wordsOf({ message }: Issue, value: unknown): string {
  const said = readSaid(message)
  if (!said) return message
  const isBare = typeof value === 'number' || typeof value === 'boolean'
  const isText = textProblems.includes(said.problem)
  const hint = isBare && isText ? '; put it in quotes if it is text' : ''
  return `${fillWords(problemWords[said.problem], said.values)}${hint}`
}

export function shownValue(value: unknown): string {
  if (value === null) return ', not empty'
  if (typeof value === 'object') return Array.isArray(value) ? ', not a list' : ', not a mapping'
  return `, not ${JSON.stringify(value)}`
}

/** `provision.keys[0].quota`. */
export function pathText(path: YamlPath): string {
  if (path.length === 0) return 'the file'
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`
      return index === 0 ? String(step) : `.${String(step)}`
    })
    .join('')
}

/** A thing in its short form has no members: what is wrong with one of them is wrong with the whole. */
function writtenPath(root: unknown, path: YamlPath): YamlPath {
  const parent = valueAt(root, path.slice(0, -1))
  const isShort = typeof parent === 'string' || typeof parent === 'number'
  return isShort ? path.slice(0, -1) : path
}

function valueAt(root: unknown, path: YamlPath): unknown {
  let value = root
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Reflect.get(value, step) as unknown
  }
  return value
}
