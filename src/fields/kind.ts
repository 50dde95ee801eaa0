import { z } from 'zod'
import { hasAtLeast, hasAtMost, hasFarHidden, isVisible } from '../core/text/characters.ts'
import { withLazy } from './lazy.ts'
import { outsideSchema, type ProblemValues, problemMessage, type ValueProblem } from './problems.ts'

/** How a person enters a field on the command line and, unless a form has its own control, in the browser. */
export type Entry = 'text' | 'number' | 'flag' | 'money' | 'instant' | 'list' | 'word' | 'object'

/**
 * One kind of field. `Value` is the gateway's internal form, `Wire` is the JSON form of the APIs, and the form in the
 * file and on the command line may be a third one: `5.00` in the file is `"5000000000"` on the wire and `5000000000n`
 * inside. Both schemas work in both directions, so that stored values can be written as well as read.
 */
export interface Kind<Value, Wire = Value> {
  readonly entry: Entry
  readonly wire: z.ZodType<Value, Wire>
  readonly written: z.ZodType<Value>
  /** Converts a stored value to the form of the APIs, without checks: a newer rule must not hide an older row. */
  readonly show: (value: Value) => Wire
  /** Converts a stored value to the form of the file, also without checks. */
  readonly write: (value: Value) => unknown
  /**
   * The schema of the result of `show` for rows of any age, without newer rules. Absent where `entry` determines it;
   * see `shownOf`.
   */
  readonly shown?: z.ZodType<Wire, Wire>
  /** The allowed values of a kind with a fixed list of values. */
  readonly choices?: readonly string[]
  /** Values that a form suggests; other values are allowed, too. */
  readonly suggestions?: () => readonly string[]
  /** The placeholder in the command-line help, where `entry` is not specific enough. */
  readonly placeholder?: string
  /** The limits of a number. */
  readonly bounds?: { readonly min: number; readonly max: number }
  /** The maximum length of a text; `src/core/text/characters.ts` defines a character. */
  readonly charactersMax?: number
}

/** A list with the kind of its entries. */
export interface ListKind<Value, Wire = Value> extends Kind<readonly Value[], readonly Wire[]> {
  readonly each: Kind<Value, Wire>
}

/** A kind with the same form everywhere. */
export function kindOf<Value>(
  entry: Entry,
  schema: z.ZodType<Value, Value>,
  choices?: readonly string[],
): Kind<Value> {
  const same = (value: Value) => value
  return {
    entry,
    wire: schema,
    written: schema,
    show: same,
    write: same,
    ...(choices && { choices }),
  }
}

/**
 * Text that passes `isGood`, which can be stricter than the pattern. The API description shows the pattern `described`,
 * which matches only good texts.
 */
export function textKind(
  problem: ValueProblem,
  {
    pattern,
    described,
    max,
    isGood,
    isShown = false,
  }: {
    pattern?: RegExp
    described?: string
    max: number
    isGood?: (text: string) => boolean
    /** People read the text to know what it belongs to, so it has no hidden characters. */
    isShown?: boolean
  },
): Kind<string> {
  const must = problemMessage(problem)
  const hidden = problemMessage('text_hidden')
  let schema = counted(z.string({ error: must }), { min: 1, max, short: must, long: must })
  if (pattern) schema = schema.regex(pattern, { error: must })
  const good = schema
    .refine(isPlain, { error: problemMessage('text_plain') })
    .refine((text) => isGood?.(text) ?? true, { error: must })
    // The described pattern cannot express these.
    .refine((text) => !isShown || !hasFarHidden(text), { error: hidden, params: outsideSchema })
    .refine((text) => !isShown || isVisible(text), { error: hidden })
    .meta(described === undefined ? {} : { pattern: described })
  return { ...kindOf('text', good), charactersMax: max }
}

/** A database accepts neither a NUL nor half of a surrogate pair. */
export function isPlain(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/** Limits the number of characters. JSON Schema shows the limits as minimum and maximum length. */
export function counted(
  text: z.ZodString,
  { min = 0, max, short = '', long }: { min?: number; max: number; short?: string; long: string },
): z.ZodString {
  const least = z.check<string>(({ value, issues }) => {
    if (!hasAtLeast(value, min)) issues.push({ code: 'custom', message: short, input: value })
  })
  const most = z.check<string>(({ value, issues }) => {
    if (!hasAtMost(value, max)) issues.push({ code: 'custom', message: long, input: value })
  })
  // Zod keeps the limits for JSON Schema here.
  most._zod.onattach.push(({ _zod }) => {
    if (min > 0) _zod.bag['minimum'] = min
    _zod.bag['maximum'] = max
  })
  return text.check(least, most)
}

export function enumKind<const Choice extends string>(choices: readonly Choice[]): Kind<Choice> {
  const error = problemMessage('word_wrong', { words: choices })
  return kindOf('word', z.enum(choices, { error }), choices)
}

/** A lossless codec from a text or another input form. */
export function codecOf<Value, Input>(
  input: z.ZodType<Input, Input>,
  output: z.ZodType<Value, Value>,
  problem: ValueProblem,
  {
    read,
    write,
    values,
  }: {
    read: (input: Input) => Value | undefined
    write: (value: Value) => Input
    values?: ProblemValues
  },
): z.ZodType<Value, Input> {
  return z.codec(input, output, {
    decode: (given, context) => {
      const value = read(given)
      if (value !== undefined) return value
      context.issues.push({
        code: 'custom',
        message: problemMessage(problem, values),
        input: given,
      })
      return z.NEVER
    },
    encode: write,
  })
}

const shownText = z.string()
const shownNumber = z.number()
const shownFlag = z.boolean()
/** Whole nano-US-dollars in decimal, because a JSON number cannot represent them exactly. */
const shownMoney = z.string().regex(/^-?\d+$/)
/** Milliseconds since 1970. */
const shownInstant = z.int()

/** The schema of a kind in API responses. */
export function shownOf<Value, Wire>(kind: Kind<Value, Wire>): z.ZodType<Wire, Wire> {
  return kind.shown ?? (byEntry(kind) as z.ZodType<Wire, Wire>)
}

function byEntry({
  entry,
  choices,
  wire,
}: Pick<Kind<unknown>, 'entry' | 'choices'> & { readonly wire: z.ZodType }): z.ZodType {
  if (entry === 'text') return shownText
  if (entry === 'number') return shownNumber
  if (entry === 'flag') return shownFlag
  if (entry === 'money') return shownMoney
  if (entry === 'instant') return shownInstant
  if (entry === 'word') return z.enum(choices ?? [])
  // An object of names, which has no further rules.
  return wire
}

/** The file and the command line have a word for null, because an empty value is too easily left by mistake. */
export function orNull<Value, Wire>(
  kind: Kind<Value, Wire>,
  none = 'none',
): Kind<Value | null, Wire | null> {
  const write = (value: Value | null): unknown => (value === null ? none : kind.write(value))
  const known = withLazy(kind, {
    wire: () => kind.wire.nullable(),
    shown: () => shownOf(kind).nullable(),
    written: () => writtenOrNull(kind, none),
  })
  return Object.assign(known, {
    show: (value: Value | null) => (value === null ? null : kind.show(value)),
    write,
  })
}

function writtenOrNull<Value, Wire>({ written, write }: Kind<Value, Wire>, none: string) {
  return z.codec(z.unknown(), z.custom<Value | null>(), {
    decode: (given, context) => {
      if (given === none) return null
      const reading = written.safeParse(given)
      if (reading.success) return reading.data
      for (const { path, message } of reading.error.issues) {
        context.issues.push({ code: 'custom', path, message, input: given })
      }
      return z.NEVER
    },
    encode: (value) => (value === null ? none : write(value)),
  })
}

/** A list of distinct entries. */
export function listOf<Value extends string, Wire>(
  each: Kind<Value, Wire>,
  {
    min = 0,
    max,
    none,
    many,
  }: { min?: number; max: number; none?: ValueProblem; many: ValueProblem },
): ListKind<Value, Wire> {
  const tooMany = problemMessage(many, { max })
  const bounded = <Of extends z.ZodType<Value>>(list: z.ZodArray<Of>) =>
    list.min(min, { error: problemMessage(none ?? many) }).max(max, { error: tooMany })
  const error = problemMessage('list_wrong')
  const { placeholder = 'TEXT' } = each
  const list = {
    entry: 'list' as const,
    placeholder,
    each,
    show: (values: readonly Value[]) => values.map(each.show),
    write: (values: readonly Value[]) => values.map(each.write),
  }
  return withLazy(list, {
    wire: () =>
      bounded(z.array(each.wire, { error }))
        .refine((texts) => new Set(texts).size === texts.length, { error: tooMany })
        .meta({ uniqueItems: true }),
    // In a file or on a command line, duplicates count once.
    written: () =>
      bounded(z.array(each.written, { error }).overwrite((texts) => [...new Set(texts)])),
    shown: () => z.array(shownOf(each)).readonly(),
  })
}
