import type { z } from 'zod'
import { isRule, problemText, readProblemMessage, type ValueProblem } from '../fields/problems.ts'
import { ConfigProblem } from './config-problem.ts'
import { maskAnyUser } from './mask.ts'
import { nearestName, suggestName } from './nearest-name.ts'
import { secretFields } from './provision-schema.ts'
import { isWholeSentence } from './whole-sentence.ts'
import type { YamlFile, YamlPath } from './yaml-file.ts'

/** Problems of texts that YAML reads as a number or a boolean unless they are quoted. */
const textProblems: readonly ValueProblem[] = [
  'text_wrong',
  'id_wrong',
  'name_wrong',
  'email_wrong',
  'instant_wrong',
  'address_wrong',
  'credential_wrong',
  'key_value_wrong',
]

const listProblems: readonly ValueProblem[] = [
  'groups_none',
  'groups_many',
  'models_many',
  'accounts_many',
  'list_long',
  'accounts_twice',
  'steps_wrong',
]

type Issue = z.core.$ZodIssue

/** Reports the first problem in the order of the file; misspelt names come before all others. */
export function explainIssues(file: YamlFile, issues: readonly Issue[]): ConfigProblem {
  const ranked = issues
    .map((issue) => ({ issue, place: placeOf(file, issue) }))
    .sort((left, right) => rank(left.issue) - rank(right.issue))
  const first = ranked[0]
  if (!first) return new ConfigProblem(`${file.path} is wrong.`)
  const message = explain(file, first.issue, first.place)
  const path = writtenPath(file.value, first.issue.path)
  return path.length === 0
    ? new ConfigProblem(message)
    : new ConfigProblem(message, { place: pathText(path) })
}

function rank(issue: Issue): number {
  return unknownIn(issue) === undefined ? 1 : 0
}

/** An unknown name, with its message. */
function unknownIn(issue: Issue): { typed: string; message: string } | undefined {
  const reported = readProblemMessage(issue.message)
  if (reported?.problem === 'member_unknown') {
    const typed = String(reported.values['name'])
    return { typed, message: suggestName(typed, reported.words) }
  }
  if (issue.code !== 'unrecognized_keys') return undefined
  return { typed: issue.keys[0] ?? '', message: issue.message }
}

function placeOf(file: YamlFile, issue: Issue): string {
  const unknown = unknownIn(issue)?.typed
  return file.whereIs(unknown === undefined ? issue.path : [...issue.path, unknown])
}

function explain(file: YamlFile, issue: Issue, where: string): string {
  const path = writtenPath(file.value, issue.path)
  const unknown = unknownIn(issue)
  if (unknown) {
    if (file.isSent) {
      return `${pathText(path, file)} has no member "${unknown.typed}"${unknown.message}`
    }
    return path.length === 0
      ? `${where}: unknown setting "${unknown.typed}"${unknown.message}`
      : `${where}: unknown name "${unknown.typed}" in ${pathText(path)}${unknown.message}`
  }
  const value = valueAt(file.value, path)
  const last = path.at(-1)
  if (value === undefined && path.length > 0) {
    const around = pathText(path.slice(0, -1), file)
    return `${file.isSent ? '' : `${where}: `}${around} needs "${String(last)}"; add it.`
  }
  const start = beginning(file, path)
  const given = valueAt(file.value, issue.path)
  const reported = readProblemMessage(issue.message)
  if (isWholeSentence(issue)) return `${start} ${issue.message}`
  if (reported?.problem === 'word_wrong' && typeof given === 'string') {
    return `${start} ${unknownValue(given, reported.words)}`
  }
  const isSecret = issue.path.some((step) => secretFields.has(String(step)))
  const isShown = !isSecret && (reported === undefined || takesValue(reported.problem))
  return `${start} ${reported ? textOf(reported, given) : issue.message}${isShown ? shownValue(value) : ''}.`
}

/** The beginning of a sentence about a value: its position and its content. */
export function beginning(file: YamlFile, path: YamlPath): string {
  const name = pathText(path, file)
  return file.isSent ? name : `${file.whereIs(path)}: ${name}`
}

/** For a problem of a whole list, saying that the value is a list adds nothing. */
function takesValue(problem: ValueProblem): boolean {
  return isRule(problem) && !listProblems.includes(problem)
}

type ReportedProblem = NonNullable<ReturnType<typeof readProblemMessage>>

/** The schemas of managed objects report a problem as a code. */
function textOf({ problem, values }: ReportedProblem, value: unknown): string {
  const isBare = typeof value === 'number' || typeof value === 'boolean'
  const isText = textProblems.includes(problem)
  const hint = isBare && isText ? '; put it in quotes if it is text' : ''
  return `${problemText(problem, values)}${hint}`
}

/** Suggests the word that a typing error most likely means. Ends the sentence. */
function unknownValue(typed: string, choices: readonly string[]): string {
  const nearest = nearestName(typed, choices)
  const hint =
    nearest === undefined ? `use one of ${choices.join(', ')}.` : `did you mean "${nearest}"?`
  return `"${typed}" is unknown; ${hint}`
}

export function shownValue(value: unknown): string {
  if (value === null) return ', not empty'
  if (typeof value === 'object') return Array.isArray(value) ? ', not a list' : ', not a mapping'
  return `, not ${JSON.stringify(typeof value === 'string' ? maskAnyUser(value) : value)}`
}

/** `provision.keys[0].quota`. */
export function pathText(path: YamlPath, file?: YamlFile): string {
  if (path.length === 0) return file?.isSent ? 'the document' : 'the file'
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`
      return index === 0 ? String(step) : `.${String(step)}`
    })
    .join('')
}

/** An object in short form has no members, so a problem of a member is reported for the whole object. */
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
