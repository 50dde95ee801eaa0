import { formatDollars } from '../core/money/money.ts'
import { type Fields, writtenName } from '../fields/definition.ts'
import { timeText } from './time-text.ts'

/**
 * The settings of a row for a list as JSON: every field of the definition that may be shown, under its name in the
 * file, with amounts in US$ and times in UTC.
 */
export function rowJson(
  { fields }: { readonly fields: Fields },
  row: object,
): Readonly<Record<string, unknown>> {
  const members: Readonly<Record<string, unknown>> = { ...row }
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) =>
      field.isSecret
        ? []
        : [[writtenName(name, field) ?? name, cellOf(field.kind.entry, members[name])]],
    ),
  )
}

function cellOf(entry: string, value: unknown): unknown {
  if (entry === 'money' && typeof value === 'string') return formatDollars(BigInt(value))
  if (entry === 'instant' && typeof value === 'number') return timeText(value)
  return value
}
