import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { CliContext } from './command.ts'
import { UsageProblem } from './usage-problem.ts'

/** The text of the file that a flag names; `-` is standard input. */
export async function readGivenFile(
  context: Pick<CliContext, 'cwd' | 'readInput'>,
  flag: string,
  file: string,
): Promise<string> {
  if (file !== '-') return readFileOf(context, flag, file)
  if (context.readInput) return context.readInput()
  throw new UsageProblem(`${flag} - reads from standard input, but there is none.`)
}

export function readFileOf({ cwd }: Pick<CliContext, 'cwd'>, flag: string, file: string): string {
  try {
    return readFileSync(resolve(cwd, file), 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new UsageProblem(`The file of ${flag} cannot be read (${code}): ${file}`, {
      cause: error,
    })
  }
}
