import type { z } from 'zod'
import { type ProblemValues, readProblemMessage, type ValueProblem } from './problems.ts'

type Issue = z.core.$ZodIssue

/** A problem that a schema has found, and its location. */
export interface FoundProblem {
  readonly path: readonly PropertyKey[]
  readonly problem: ValueProblem
  readonly values: ProblemValues
}

/** A client may send a name of any length; it is repeated in the message. */
const nameCharactersMax = 128

const unknownProblem = { problem: 'value_wrong', values: {} } as const

export function problemOf(issue: Issue): FoundProblem {
  if (issue.code === 'unrecognized_keys') {
    const values = { name: (issue.keys[0] ?? '').slice(0, nameCharactersMax) }
    return { path: issue.path, problem: 'member_unknown', values }
  }
  const { problem, values } = readProblemMessage(issue.message) ?? unknownProblem
  return { path: issue.path, problem, values }
}

/** The first problem of a value; undefined when the value is valid. */
export function findProblem(schema: z.ZodType, value: unknown): FoundProblem | undefined {
  const issue = schema.safeParse(value).error?.issues[0]
  return issue && problemOf(issue)
}
