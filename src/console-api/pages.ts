import { wrongField } from './refusal.ts'

const textCharactersMax = 256

/** A parameter that narrows a list; undefined when it is absent or empty. */
export function readParameter(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name)
  if (text === null || text === '') return undefined
  const isGood = text.length <= textCharactersMax && !text.includes('\0') && text.isWellFormed()
  if (!isGood) throw wrongField(name, 'parameter_long', { max: textCharactersMax })
  return text
}

export function readSearch(query: URLSearchParams): string | undefined {
  return readParameter(query, 'search')?.trim()
}

/** Where a page begins: what the page before gave as `next`. */
export function readCursor(query: URLSearchParams, name: 'after' | 'before'): string | undefined {
  return readParameter(query, name)
}

/** Of one row more than a page has, the page: the row too many is not shown, it only tells that there is a next. */
export function pageOf<Row>(
  found: readonly Row[],
  pageRows: number,
  cursorOf: (row: Row) => string,
): { readonly rows: readonly Row[]; readonly next: string | null } {
  const rows = found.slice(0, pageRows)
  const last = rows.at(-1)
  const next = found.length > pageRows && last !== undefined ? cursorOf(last) : null
  return { rows, next }
}
