import type { z } from 'zod'
import { problemOf } from '../fields/find-problem.ts'
import type { Problem } from '../fields/problems.ts'
import { isObject, type JsonObject } from '../wire/json.ts'
import { wrongField } from './refusal.ts'

/* The members of a body. Each reader says which member is wrong, and how. */

/** Reads what a definition or another schema describes; the first thing that is wrong is told with its place. */
export function readBy<Value>(schema: z.ZodType<Value>, body: unknown): Value {
  const reading = schema.safeParse(body)
  const [issue] = reading.error?.issues ?? []
  if (!issue) return reading.data as Value
  const { path, problem, values } = problemOf(issue)
  throw wrongField(fieldOf(path), problem, values)
}

/** Of an entry of a list the list: that is what a form has a place for. */
function fieldOf(path: readonly PropertyKey[]): string {
  const names = path.filter((step) => typeof step !== 'number')
  return names.map(String).join('.')
}

type Rule<Value> = (value: Value) => Problem | undefined
export type Read<Value> = (body: JsonObject, field: string) => Value

const textCharactersMax = 4_096
const listEntriesMax = 2_000

export function checkRule(field: string, problem: Problem | undefined): void {
  if (problem !== undefined) throw wrongField(field, problem)
}

/** A text that must be there; without a rule only its length is bounded. */
export function textField(rule?: Rule<string>, charactersMax = textCharactersMax): Read<string> {
  return (body, field) => {
    const value = body[field]
    if (typeof value !== 'string') throw wrongField(field, 'text_wrong')
    if (rule) checkRule(field, rule(value))
    if (value.length === 0 || value.length > charactersMax) {
      throw wrongField(field, 'text_long', { max: charactersMax })
    }
    // Postgres takes no zero and no half character.
    if (value.includes('\0') || !value.isWellFormed()) throw wrongField(field, 'text_plain')
    return value
  }
}

export const flagField: Read<boolean> = (body, field) => {
  const value = body[field]
  if (typeof value !== 'boolean') throw wrongField(field, 'flag_wrong')
  return value
}

export function numberField(rule?: Rule<number>): Read<number> {
  return (body, field) => {
    const value = body[field]
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
      throw wrongField(field, 'number_wrong')
    }
    if (rule) checkRule(field, rule(value))
    return value
  }
}

export function wordField<const Word extends string>(words: readonly Word[]): Read<Word> {
  return (body, field) => {
    const word = words.find((each) => each === body[field])
    if (word === undefined) throw wrongField(field, 'word_wrong', { words: words.join(', ') })
    return word
  }
}

/** A list of objects, each read by `read`; a wrong one is told with its place. */
export function listField<Value>(read: (entry: JsonObject) => Value): Read<Value[]> {
  return (body, field) =>
    listAt(body, field).map((entry) => {
      if (!isObject(entry)) throw wrongField(field, 'objects_wrong')
      return read(entry)
    })
}

function listAt(body: JsonObject, field: string): readonly unknown[] {
  const value = body[field]
  if (!Array.isArray(value)) throw wrongField(field, 'list_wrong')
  if (value.length > listEntriesMax) {
    throw wrongField(field, 'list_long', { max: listEntriesMax })
  }
  return value
}

export function orNull<Value>(read: Read<Value>): Read<Value | null> {
  return (body, field) => (body[field] === null ? null : read(body, field))
}

/** Undefined when the member is not there: in an edit it stays as it is. */
export function ifSent<Value>(read: Read<Value>): Read<Value | undefined> {
  return (body, field) => (body[field] === undefined ? undefined : read(body, field))
}

export const nanoField =
  (rule: Rule<string>): Read<bigint> =>
  (body, field) =>
    BigInt(textField(rule, 20)(body, field))
