import { dashedName } from '../core/text/dashed-name.ts'
import { type Definition, type GivenOf, writtenName } from '../fields/definition.ts'
import type { Entry, Kind } from '../fields/kind.ts'
import type { CommandCall, CommandOption } from './command.ts'
import { readTyped } from './read-typed.ts'
import { UsageProblem } from './usage-problem.ts'

const placeholders: Readonly<Record<Entry, string>> = {
  text: 'TEXT',
  word: 'WORD',
  number: 'NUMBER',
  money: 'US$',
  instant: 'TIME',
  flag: 'true|false',
  list: 'TEXT',
  object: 'JSON',
}

interface Option extends CommandOption {
  readonly flag: string
  readonly field: string
  readonly of: Kind<unknown, unknown>
  readonly isRequired: boolean
  readonly isSecret: boolean
}

/** The options of a command that creates an object, derived from the object's definition. */
function listOptions(definition: Definition): Option[] {
  return Object.entries(definition.fields).flatMap(([field, spec]) => {
    const written = writtenName(field, spec)
    if (written === null) return []
    const { kind, about } = spec
    const isRequired = !('initial' in spec || 'isMaybe' in spec)
    return {
      flag: spec.option ?? dashedName(written),
      field,
      of: kind,
      kind: kind.entry === 'list' ? 'list' : 'text',
      placeholder: kind.placeholder ?? kind.choices?.join('|') ?? placeholders[kind.entry],
      description: about,
      isRequired,
      isSecret: spec.isSecret === true,
    }
  })
}

/** A secret can also be in a file: process lists and shell histories show flags. */
function described(
  options: readonly Option[],
  describe: (option: Option) => string,
): Readonly<Record<string, CommandOption>> {
  const all = options.flatMap((option): (readonly [string, CommandOption])[] => {
    const { flag, kind, placeholder = '', isSecret } = option
    const description = describe(option)
    if (!isSecret) return [[flag, { kind, placeholder, description }]]
    const visible = `${description} Other users of the machine can see it; prefer --${flag}-file.`
    return [
      [flag, { kind, placeholder, description: visible }],
      [`${flag}-file`, fileOption(flag)],
    ]
  })
  return Object.fromEntries(all)
}

function fileOption(flag: string): CommandOption {
  const description = `File that contains the value of --${flag}; - reads standard input.`
  return { kind: 'text', placeholder: 'FILE', description, contentOf: flag }
}

export function definedOptions(definition: Definition): Readonly<Record<string, CommandOption>> {
  return described(listOptions(definition), ({ isRequired, description }) =>
    isRequired ? `${description} Required.` : description,
  )
}

/** The same options, all optional. */
export function someOptions(definition: Definition): Readonly<Record<string, CommandOption>> {
  return described(listOptions(definition), ({ description }) => description)
}

/** The values of the options; an option that was not given is absent. */
export function readOptions<D extends Definition>(
  definition: D,
  command: string,
  call: CommandCall,
): GivenOf<D> {
  const given: Readonly<Record<string, unknown>> = readSome(definition, call)
  const missing = listOptions(definition).find(
    ({ isRequired, field }) => isRequired && given[field] === undefined,
  )
  if (!missing) return given as GivenOf<D>
  throw new UsageProblem(`"tollgate ${command}" needs --${missing.flag}; see --help.`)
}

export function readSome<D extends Definition>(
  definition: D,
  call: CommandCall,
): Partial<GivenOf<D>> {
  const given: Record<string, unknown> = {}
  for (const { kind, flag, field, of, isSecret } of listOptions(definition)) {
    const typed = kind === 'list' ? call.list(flag) : call.text(flag)
    if (typed !== undefined) given[field] = readTyped(`--${flag}`, of, typed, { isSecret })
  }
  return given as Partial<GivenOf<D>>
}

/** The options that were given, for the message of a command that changes an object: `quota, daily`. */
export function givenOptions(definition: Definition, call: CommandCall): string {
  return listOptions(definition)
    .filter(({ kind, flag }) => (kind === 'list' ? call.list(flag) : call.text(flag)) !== undefined)
    .map(({ flag }) => flag)
    .join(', ')
}

/** The options of a command that changes an object; at least one must be given. */
export function readChanges<D extends Definition>(
  definition: D,
  command: string,
  call: CommandCall,
): GivenOf<D> {
  const given = readSome(definition, call)
  if (Object.keys(given).length > 0) return given as GivenOf<D>
  throw new UsageProblem(`"tollgate ${command}" needs at least one option; see --help.`)
}
