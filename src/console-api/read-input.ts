import { z } from 'zod'
import { problemOf } from '../fields/find-problem.ts'
import type { ProblemValues } from '../fields/problems.ts'
import type { JsonObject } from '../wire/json.ts'
import { type ApiRefusal, brokenRule, wrongField } from './refusal.ts'
import { type FieldProblem, fieldWords } from './refusal-words.ts'

/** A body or a query as its schema reads it. The first thing that is wrong with it is refused. */
export function readInput(schema: z.ZodType, input: JsonObject, whole: 'body' | 'query'): unknown {
  const read = schema.safeParse(input)
  const [issue] = read.error?.issues ?? []
  if (issue) throw refusalOf(issue, whole)
  return read.data
}

function refusalOf(issue: z.core.$ZodIssue, whole: string): ApiRefusal {
  // Of an entry of a list the list: that is what a form has a place for.
  const names = issue.path.filter((step) => typeof step !== 'number')
  const field = names.length === 0 ? whole : names.map(String).join('.')
  const refused = isUntold(issue) ? brokenRule : wrongField
  const [code = '', filled] = issue.message.split('?', 2)
  // Of a member that is not known the schema itself says nothing.
  if (issue.code === 'unrecognized_keys' || !isFieldProblem(code)) {
    const { problem, values } = problemOf(issue)
    return refused(field, problem, numbersIn(Object.entries(values)))
  }
  return refused(field, code, numbersIn([...new URLSearchParams(filled)]))
}

/** Of a rule that the description of the API cannot tell. */
function isUntold(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'custom' && issue.params?.['isUntold'] === true
}

function isFieldProblem(text: string): text is FieldProblem {
  return Object.hasOwn(fieldWords, text)
}

/** Limits are numbers again. */
function numbersIn(values: readonly (readonly [string, string | number])[]): ProblemValues {
  return Object.fromEntries(
    values.map(([name, text]) => [name, /^(?:min|max)$/.test(name) ? Number(text) : text]),
  )
}

const noParameters = z.strictObject({})

/**
 * Of a parameter that comes twice the first one counts, and an empty one is none: as `authorise` sees it. Where it is
 * read strictly, neither is taken.
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
  return readInput(schema ?? noParameters, given, 'query')
}
