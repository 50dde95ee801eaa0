import { z } from 'zod'
import { problemOf } from '../../fields/find-problem.ts'
import { readMessage } from '../../fields/problems.ts'
import type { JsonObject } from '../../wire/json.ts'
import { type FieldProblem, fieldProblemTexts } from '../contract/refusal-texts.ts'
import { type ApiRefusal, brokenRule, wrongField } from '../refusal.ts'

/** Parses a body or a query with its schema. Throws a refusal for the first problem. */
export function readInput(schema: z.ZodType, input: JsonObject, whole: 'body' | 'query'): unknown {
  const read = schema.safeParse(input)
  const [issue] = read.error?.issues ?? []
  if (issue) throw refusalOf(issue, whole)
  return read.data
}

function refusalOf(issue: z.core.$ZodIssue, whole: string): ApiRefusal {
  // Report the list, not its entry: the form shows the problem at the list.
  const names = issue.path.filter((step) => typeof step !== 'number')
  const field = names.length === 0 ? whole : names.map(String).join('.')
  const refused = isOutsideSchema(issue) ? brokenRule : wrongField
  const { code, values } = readMessage(issue.message)
  // The schema has no problem code for an unknown member.
  if (issue.code !== 'unrecognized_keys' && isFieldProblem(code)) {
    return refused(field, code, values)
  }
  const found = problemOf(issue)
  return refused(field, found.problem, found.values)
}

/** True for a rule that JSON Schema cannot express. */
function isOutsideSchema(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'custom' && issue.params?.['isOutsideSchema'] === true
}

function isFieldProblem(text: string): text is FieldProblem {
  return Object.hasOwn(fieldProblemTexts, text)
}

const nothing = z.strictObject({})

/** Refuses any member of a body. */
export function readNothing(input: JsonObject): void {
  readInput(nothing, input, 'body')
}

/**
 * An empty parameter counts as absent, and of a repeated one the first value counts, as in `authorise`. In strict mode
 * both are refused.
 */
export function readQuery(
  schema: z.ZodType | undefined,
  query: URLSearchParams,
  isStrict = false,
): unknown {
  const names = [...new Set(query.keys())]
  const twice = isStrict ? names.find((name) => query.getAll(name).length > 1) : undefined
  if (twice !== undefined) throw wrongField(twice, 'parameter_twice')
  const given = Object.fromEntries(
    names.flatMap((name) => {
      const text = query.get(name) ?? ''
      return text === '' && !isStrict ? [] : [[name, text]]
    }),
  )
  return readInput(schema ?? nothing, given, 'query')
}
