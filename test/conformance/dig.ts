import { isObject } from '../../src/wire/json.ts'

type Path = readonly (string | number)[]

/** The value at a path of names and positions; undefined where there is none. */
export function dig(value: unknown, ...path: Path): unknown {
  let at = value
  for (const step of path) {
    if (typeof step === 'number') at = Array.isArray(at) ? at[step] : undefined
    else at = isObject(at) ? at[step] : undefined
  }
  return at
}

/** The list at a path; empty where there is none. */
export function digList(value: unknown, ...path: Path): readonly unknown[] {
  const found = dig(value, ...path)
  return Array.isArray(found) ? found : []
}

/** The text at a path; empty where there is none. */
export function digText(value: unknown, ...path: Path): string {
  const found = dig(value, ...path)
  return typeof found === 'string' ? found : ''
}

/** The number at a path; 0 where there is none. */
export function digNumber(value: unknown, ...path: Path): number {
  const found = dig(value, ...path)
  return typeof found === 'number' ? found : 0
}
