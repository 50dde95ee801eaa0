import { parseArgs } from 'node:util'
import { nearestName } from '../config/nearest-name.ts'
import { tokenVariable } from '../config/remote-variables.ts'
import type { Flags } from '../config/resolve-setting.ts'
import { configFileSetting, settings } from '../config/settings.ts'
import type { Command, CommandOption } from './command.ts'
import { remoteOptions } from './gateway/remote-options.ts'
import { spellOutFlags } from './spell-out-flags.ts'
import { UsageProblem } from './usage-problem.ts'

export interface ParsedCommand {
  readonly wantsHelp: boolean
  readonly positionals: readonly string[]
  /** Flags that are settings, for the config loader. */
  readonly flags: Flags
  readonly texts: ReadonlyMap<string, string>
  readonly lists: ReadonlyMap<string, readonly string[]>
  readonly switches: ReadonlySet<string>
}

const settingOption: CommandOption = { kind: 'text', description: '' }
const helpOption: CommandOption = { kind: 'switch', description: '' }
const settingFlags: readonly string[] = [
  configFileSetting.flag,
  ...Object.values(settings).map((setting) => setting.flag),
]

/** Reads the arguments after the command's name. */
export function parseCommand(command: Command, args: readonly string[]): ParsedCommand {
  const known: Record<string, CommandOption> = {
    ...Object.fromEntries(settingFlags.map((flag) => [flag, settingOption])),
    ...remoteOptions,
    help: helpOption,
    ...command.options,
  }
  const texts = new Map<string, string>()
  const lists = new Map<string, string[]>()
  const switches = new Set<string>()
  const positionals: string[] = []
  for (const token of tokensOf(known, spellOutFlags(args))) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const name = token.name === 'h' ? 'help' : token.name
    const option = known[name]
    if (!option) throw unknownFlag(command, token.rawName, Object.keys(known))
    if (option.kind === 'switch') {
      if (token.value !== undefined) throw new UsageProblem(`--${name} does not accept a value.`)
      switches.add(name)
      continue
    }
    if (token.value === undefined) throw new UsageProblem(`--${name} needs a value.`)
    if (option.kind === 'list') lists.set(name, [...(lists.get(name) ?? []), token.value])
    else texts.set(name, token.value)
  }
  const wantsHelp = switches.has('help')
  if (!wantsHelp) checkPositionals(command, positionals)
  const flags = Object.fromEntries(
    [...texts].filter(([name]) => settingFlags.includes(name) && !(name in command.options)),
  )
  return { wantsHelp, positionals, flags, texts, lists, switches }
}

function tokensOf(known: Readonly<Record<string, CommandOption>>, args: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { kind }]) => [
      name,
      { type: kind === 'switch' ? ('boolean' as const) : ('string' as const) },
    ]),
  )
  return parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  }).tokens
}

function unknownFlag(command: Command, typed: string, known: readonly string[]): UsageProblem {
  if (typed === '--token') {
    return new UsageProblem(
      `A token on the command line is visible in process lists; set ${tokenVariable}, or use --token-file.`,
    )
  }
  const nearest = nearestName(typed.replace(/^-+/, ''), known)
  const hint =
    nearest === undefined
      ? `run "tollgate ${command.name} --help" for the list.`
      : `did you mean --${nearest}?`
  return new UsageProblem(`Unknown flag ${typed}; ${hint}`)
}

function checkPositionals(command: Command, given: readonly string[]): void {
  const missing = command.positionals[given.length]
  if (missing !== undefined && !missing.startsWith('[')) {
    throw new UsageProblem(`"tollgate ${command.name}" needs ${missing}; see --help.`)
  }
  const surplus = given[command.positionals.length]
  if (surplus !== undefined) {
    throw new UsageProblem(`"tollgate ${command.name}" does not accept the argument "${surplus}".`)
  }
}
