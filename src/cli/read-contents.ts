import type { CliContext, Command } from './command.ts'
import { readGivenFile } from './read-given-file.ts'
import { UsageProblem } from './usage-problem.ts'

const input = '-'

/** The values of the flags whose value is in a file or in standard input, by flag. */
export async function readContents(
  { options }: Pick<Command, 'options'>,
  texts: ReadonlyMap<string, string>,
  context: CliContext,
): Promise<ReadonlyMap<string, string>> {
  const contents = new Map<string, string>()
  for (const [flag, { contentOf }] of Object.entries(options)) {
    const file = texts.get(flag)
    if (contentOf === undefined || file === undefined) continue
    if (texts.has(contentOf)) {
      throw new UsageProblem(`Use either --${contentOf} or --${flag}, not both.`)
    }
    if (file === input && readersOf(options, texts) > 1) {
      throw new UsageProblem('Only one flag can read standard input; name a file for the others.')
    }
    const content = (await readGivenFile(context, `--${flag}`, file)).trim()
    if (content === '') throw new UsageProblem(`The file of --${flag} is empty.`)
    contents.set(contentOf, content)
  }
  return contents
}

/** How many flags read standard input. */
function readersOf(options: Command['options'], texts: ReadonlyMap<string, string>): number {
  const isContent = (flag: string) => options[flag]?.contentOf !== undefined
  return [...texts].filter(
    ([flag, text]) => text === input && (isContent(flag) || flag === 'token-file'),
  ).length
}
