import { problemOf } from '../fields/find-problem.ts'
import type { Kind } from '../fields/kind.ts'
import { isRule, problemText } from '../fields/problems.ts'
import { parseJson } from '../wire/json.ts'
import type { CommandCall } from './command.ts'
import { UsageProblem } from './usage-problem.ts'

/** Parses typed text by its kind. `what` begins the sentence of an error: `--name`, `The id`. */
export function readTyped<Value, Wire>(
  what: string,
  kind: Kind<Value, Wire>,
  typed: string | readonly string[],
  { isSecret = false }: { readonly isSecret?: boolean } = {},
): Value {
  const reading = kind.written.safeParse(typeof typed === 'string' ? meantBy(kind, typed) : typed)
  const [issue] = reading.error?.issues ?? []
  if (!issue) return reading.data as Value
  const { path, problem, values } = problemOf(issue)
  const [place] = path
  const wrong = typeof typed === 'string' ? typed : typed[Number(place)]
  const isShown = !isSecret && wrong !== undefined && isRule(problem)
  const shown = isShown ? `, not ${JSON.stringify(wrong)}` : ''
  throw new UsageProblem(`${what} ${problemText(problem, values)}${shown}.`)
}

/** The value of a flag; undefined when the flag was not given. */
export function readOption<Value, Wire>(
  call: CommandCall,
  flag: string,
  kind: Kind<Value, Wire>,
  options?: { readonly isSecret?: boolean },
): Value | undefined {
  const typed = call.text(flag)
  return typed === undefined ? undefined : readTyped(`--${flag}`, kind, typed, options)
}

/** Converts the text of the command line to the type that the kind expects. */
function meantBy({ entry }: Pick<Kind<unknown>, 'entry'>, typed: string): unknown {
  if (entry === 'flag') return typed === 'true' ? true : typed === 'false' ? false : typed
  if (entry === 'number') return /^-?\d+$/.test(typed) ? Number(typed) : typed
  if (entry === 'object') return parseJson(typed) ?? typed
  return typed
}
