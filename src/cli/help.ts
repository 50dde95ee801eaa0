import { alignColumns } from '../config/align-columns.ts'
import { configFileSetting, settings } from '../config/settings.ts'
import type { Command } from './command.ts'
import { remoteOptions } from './gateway/remote-options.ts'

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
    'Remote gateway, for every command except serve:',
    ...remoteLines(),
    '',
    'Settings, for every command on this machine:',
    ...settingLines(),
    '',
  ].join('\n')
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
    ...(options.length === 0 ? [] : ['Flags:', ...alignColumns(options), '']),
    ...(command.onlyHere === undefined ? ['Remote gateway:', ...remoteLines(), ''] : []),
    'Settings, also as variables and in the config file:',
    ...settingLines(),
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

function settingLines(): string[] {
  const all = [configFileSetting, ...Object.values(settings)]
  return alignColumns(
    all.map(({ flag, placeholder, variable, about, byDefault }) => [
      `  --${flag} ${placeholder}`,
      variable,
      byDefault ? `${about} Default: ${byDefault}.` : about,
    ]),
  )
}
