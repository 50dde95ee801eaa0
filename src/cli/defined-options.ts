import { type Definition, type GivenOf, writtenName } from '../fields/definition.ts'
import { problemOf } from '../fields/find-problem.ts'
import type { Entry, Kind } from '../fields/kind.ts'
import { fillWords, problemWords } from '../fields/problems.ts'
import type { CommandCall, CommandOption } from './command.ts'
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

/** The options of a command that makes a thing, from the definition of the thing. */
function listOptions(definition: Definition): Option[] {
  return Object.entries(definition.fields).flatMap(([field, spec]) => {
    const written = writtenName(field, spec)
    if (written === null) return []
    const { kind, about } = spec
    const isRequired = !('initial' in spec)
    return {
      flag: spec.option ?? written.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      field,
      of: kind,
      kind: kind.entry === 'list' ? 'list' : 'text',
      placeholder: kind.placeholder ?? kind.words?.join('|') ?? placeholders[kind.entry],
      description: isRequired ? `${about} Required.` : about,
      isRequired,
      isSecret: spec.isSecret === true,
    }
  })
}

export function definedOptions(definition: Definition): Readonly<Record<string, CommandOption>> {
  return Object.fromEntries(
    listOptions(definition).map(({ flag, kind, placeholder = '', description }) => [
      flag,
      { kind, placeholder, description },
    ]),
  )
}

/** What the options say; what is not given is absent. */
export function readOptions<D extends Definition>(
  definition: D,
  command: string,
  call: CommandCall,
): GivenOf<D> {
  const given: Record<string, unknown> = {}
  for (const option of listOptions(definition)) {
    const typed = option.kind === 'list' ? call.list(option.flag) : call.text(option.flag)
    if (typed !== undefined) given[option.field] = readTyped(option, typed)
    else if (option.isRequired) {
      throw new UsageProblem(`"tollgate ${command}" needs --${option.flag}; see --help.`)
    }
  }
  return given as GivenOf<D>
}

function readTyped({ flag, of, isSecret }: Option, typed: string | readonly string[]): unknown {
  const reading = of.written.safeParse(typeof typed === 'string' ? fromText(of, typed) : typed)
  const [issue] = reading.error?.issues ?? []
  if (!issue) return reading.data
  const { path, problem, values } = problemOf(issue)
  const [place] = path
  const wrong = typeof typed === 'string' ? typed : typed[Number(place)]
  const shown = isSecret || wrong === undefined ? '' : `, not ${JSON.stringify(wrong)}`
  throw new UsageProblem(`--${flag} ${fillWords(problemWords[problem], values)}${shown}.`)
}

/** Everything on a command line is text. */
function fromText({ entry }: Kind<unknown, unknown>, typed: string): unknown {
  if (entry === 'flag') return typed === 'true' ? true : typed === 'false' ? false : typed
  if (entry === 'number') return /^-?\d+$/.test(typed) ? Number(typed) : typed
  return typed
}
