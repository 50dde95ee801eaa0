import { UsageProblem } from './usage-problem.ts'

/** The value of a flag as `read` understands it; undefined when it was not given. */
export function readOption<Value>(
  name: string,
  text: string | undefined,
  must: string,
  read: (text: string) => Value | undefined,
  options: { isSecret?: boolean } = {},
): Value | undefined {
  if (text === undefined) return undefined
  const value = read(text)
  if (value !== undefined) return value
  const shown = options.isSecret ? '' : `, not ${JSON.stringify(text)}`
  throw new UsageProblem(`--${name} ${must}${shown}.`)
}
