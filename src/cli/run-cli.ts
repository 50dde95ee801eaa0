import { CommandProblem } from '../app/command-problem.ts'
import { DatabaseProblem } from '../app/database/database-problem.ts'
import { explainUnwritable } from '../app/database/explain-store.ts'
import { ConfigProblem } from '../config/config-problem.ts'
import { nearestName } from '../config/nearest-name.ts'
import type { OpenConfig } from '../config/referenced-secrets.ts'
import { configFileSetting } from '../config/settings.ts'
import { loadProvision, openConfig } from '../config.ts'
import { ListenProblem } from '../http-in/listen.ts'
import { vendors } from '../vendors/index.ts'
import type { CliContext, Command, CommandCall } from './command.ts'
import { commands } from './command-list.ts'
import { readTarget } from './gateway/read-target.ts'
import { remoteOptions } from './gateway/remote-options.ts'
import type { RemoteTarget } from './gateway/remote-target.ts'
import { describeCommand, describeCommands } from './help.ts'
import { type ParsedCommand, parseCommand } from './parse-command.ts'
import { readContents } from './read-contents.ts'
import { UsageProblem } from './usage-problem.ts'

const exitCodes = { done: 0, failed: 1, misused: 2 } as const

/** Runs one command line and returns its exit code. Errors are one sentence on stderr. */
export async function runCli(args: readonly string[], context: CliContext): Promise<number> {
  try {
    return await dispatch(args, context)
  } catch (error) {
    context.stderr(`tollgate: ${sentenceOf(error)}\n`)
    return error instanceof UsageProblem ? exitCodes.misused : exitCodes.failed
  }
}

async function dispatch(args: readonly string[], context: CliContext): Promise<number> {
  const [first, ...rest] = args
  if (first === undefined) {
    context.stderr(describeCommands(commands))
    return exitCodes.misused
  }
  if (first === 'version' || first === '--version') {
    context.stdout(`tollgate ${context.version}\n`)
    return exitCodes.done
  }
  if (first === 'help' || first === '--help' || first === '-h') {
    const isAbout = first === 'help' && rest.length > 0
    context.stdout(isAbout ? helpAbout(rest) : describeCommands(commands))
    return exitCodes.done
  }
  if (familyOf(first).length > 0 && (rest[0] === '--help' || rest[0] === '-h')) {
    context.stdout(describeCommands(familyOf(first)))
    return exitCodes.done
  }
  const { command, args: own } = findCommand(args)
  const parsed = parseCommand(command, own)
  if (parsed.wantsHelp) {
    context.stdout(describeCommand(command))
    return exitCodes.done
  }
  const call = await callOf(command, parsed, context)
  try {
    return await command.run(call)
  } catch (error) {
    if (isProblem(error)) throw error
    throw explainUnwritable(() => call.config.database, error) ?? error
  }
}

async function callOf(
  command: Command,
  parsed: ParsedCommand,
  context: CliContext,
): Promise<CommandCall> {
  const contents = await readContents(command, parsed.texts, context)
  const given = {
    text: (option: string) => contents.get(option) ?? parsed.texts.get(option),
    list: (option: string) => parsed.lists.get(option),
    isOn: (option: string) => parsed.switches.has(option),
  }
  const remote = await targetOf(command, parsed, given, context)
  const options = { vendors, flags: parsed.flags, env: context.env, cwd: context.cwd }
  let opened = remote ? undefined : openConfig(options)
  const open = (): OpenConfig => {
    opened ??= openConfig(options)
    return opened
  }
  return {
    get config() {
      return open().config
    },
    get secrets() {
      return open().secrets
    },
    provision: () => loadProvision(options),
    remote,
    context,
    positionals: parsed.positionals,
    ...given,
  }
}

/** For a command that works only on this machine, the environment variable is ignored and the flag is an error. */
async function targetOf(
  command: Command,
  { flags }: ParsedCommand,
  given: Pick<CommandCall, 'text' | 'isOn'>,
  context: CliContext,
): Promise<RemoteTarget | undefined> {
  if (command.onlyHere !== undefined) {
    const flag = Object.keys(remoteOptions).find((each) => given.isOn(each) || given.text(each))
    if (flag !== undefined) throw new UsageProblem(command.onlyHere)
    return undefined
  }
  const target = await readTarget(given, context)
  const unexpected = Object.keys(flags).find(
    (flag) => !(command.readsConfig === true && flag === configFileSetting.flag),
  )
  if (target && unexpected !== undefined) {
    throw new UsageProblem(
      `--${unexpected} applies to a gateway on this machine, but the command addresses ${target.url}; leave one of them out.`,
    )
  }
  return target
}

/** The command that the first one or two words name. */
function findCommand(args: readonly string[]): { command: Command; args: readonly string[] } {
  const [first = '', second = ''] = args
  const exact = commands.find(({ name }) => name === first)
  if (exact) return { command: exact, args: args.slice(1) }
  const double = commands.find(({ name }) => name === `${first} ${second}`)
  if (double) return { command: double, args: args.slice(2) }
  const family = familyOf(first)
  if (first.startsWith('-')) {
    throw new UsageProblem(
      `"${first}" is not a command, and flags come after the command; see "tollgate help".`,
    )
  }
  if (family.length === 0) {
    const names = [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? name))]
    throw new UsageProblem(
      `Unknown command "${first}"; ${hint(first, [...names, 'help', 'version'])}`,
    )
  }
  const names = family.map(({ name }) => name.slice(first.length + 1))
  if (second === '' || second.startsWith('-')) {
    throw new UsageProblem(`"tollgate ${first}" needs a subcommand: ${names.join(', ')}.`)
  }
  throw new UsageProblem(`Unknown command "${first} ${second}"; ${hint(second, names, first)}`)
}

/** The commands that share a first word, such as `keys` or `accounts`. */
function familyOf(word: string): Command[] {
  return commands.filter(({ name }) => name.startsWith(`${word} `))
}

/** Ends the sentence. `before` is the first word of a command of two words. */
function hint(typed: string, names: readonly string[], before?: string): string {
  const nearest = nearestName(typed, names)
  if (nearest === undefined) return `valid commands: ${names.join(', ')}.`
  return `did you mean "${before === undefined ? nearest : `${before} ${nearest}`}"?`
}

function helpAbout(words: readonly string[]): string {
  const family = familyOf(words[0] ?? '')
  const isFamily = words.length === 1 && family.length > 0
  return isFamily ? describeCommands(family) : describeCommand(findCommand(words).command)
}

/** Problems are sentences for the operator. */
function isProblem(error: unknown): error is Error {
  return (
    error instanceof ConfigProblem ||
    error instanceof DatabaseProblem ||
    error instanceof ListenProblem ||
    error instanceof UsageProblem ||
    error instanceof CommandProblem
  )
}

/** Any error that is no problem is a defect, so its stack trace is shown. */
function sentenceOf(error: unknown): string {
  if (isProblem(error)) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
