import { alignColumns } from '../config/align-columns.ts'
import type { Setting } from '../config/setting.ts'
import { configFileSetting, settings } from '../config/settings.ts'
import type { Command } from './command.ts'
import { remoteOptions } from './gateway/remote-options.ts'

/** Commands whose help lists all settings. The others accept them too. */
const listingSettings = new Set(['serve', 'config'])

export function describeCommands(commands: readonly Command[]): string {
  const rows = commands.map(({ name, positionals, summary }) => [
    `  ${[name, ...positionals].join(' ')}`,
    summary,
  ])
  return [
    'Tollgate is a model routing gateway.',
    '',
    'Usage: tollgate COMMAND [FLAGS]',
    '',
    'Commands:',
    ...alignColumns([
      ...rows,
      ['  help [COMMAND]', 'Show this help, or the help of a command.'],
      ['  version', 'Show the version.'],
    ]),
    '',
    ...describeRemote(commands),
    'Settings are flags, variables or lines of the config file; "tollgate help serve" lists them.',
    'Flags come after the command, as in "tollgate keys list --json".',
    '',
  ].join('\n')
}

function describeRemote(commands: readonly Command[]): string[] {
  const local = commands.filter(({ onlyHere }) => onlyHere !== undefined).map(({ name }) => name)
  if (local.length === commands.length) return []
  const which = local.length === 0 ? '' : `, for every command except ${local.join(', ')}`
  return [`Remote gateway${which}:`, ...remoteLines(), '']
}

export function describeCommand(command: Command): string {
  const options = Object.entries(command.options).map(([name, option]) => [
    `  --${name}${option.placeholder === undefined ? '' : ` ${option.placeholder}`}`,
    option.kind === 'list' ? `${option.description} May be repeated.` : option.description,
  ])
  return [
    `Usage: tollgate ${[command.name, ...command.positionals].join(' ')} [FLAGS]`,
    '',
    command.summary,
    '',
    ...(command.example === undefined
      ? []
      : ['Example:', `  tollgate ${command.name} ${command.example}`, '']),
    ...(options.length === 0 ? [] : ['Flags:', ...alignColumns(options), '']),
    ...(command.onlyHere === undefined ? ['Remote gateway:', ...remoteLines(), ''] : []),
    ...describeSettings(command.name),
    '',
  ].join('\n')
}

function remoteLines(): string[] {
  const rows = Object.entries(remoteOptions).map(([flag, option]) => [
    option.placeholder === undefined ? `  --${flag}` : `  --${flag} ${option.placeholder}`,
    option.variable ?? '',
    option.description,
  ])
  return alignColumns(rows)
}

function describeSettings(command: string): string[] {
  const { data, database, secret } = settings
  if (!listingSettings.has(command)) {
    return [
      'Settings of the gateway on this machine; "tollgate help serve" lists all:',
      ...settingLines([configFileSetting, data, database, secret]),
    ]
  }
  return [
    'Settings, also as variables and in the config file:',
    ...settingLines([configFileSetting, ...Object.values(settings)]),
  ]
}

type ListedSetting = Pick<
  Setting<unknown>,
  'flag' | 'placeholder' | 'variable' | 'about' | 'byDefault'
>

function settingLines(listed: readonly ListedSetting[]): string[] {
  return alignColumns(
    listed.map(({ flag, placeholder, variable, about, byDefault }) => [
      `  --${flag} ${placeholder}`,
      variable,
      byDefault ? `${about} Default: ${byDefault}.` : about,
    ]),
  )
}
