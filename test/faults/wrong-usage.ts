import { isObject, type JsonObject, parseJson } from '../../src/wire/json.ts'

type Wrong = (count: number) => unknown

/** Values that upstreams have reported instead of a number of tokens. */
export const wrongUsages: readonly {
  readonly name: string
  readonly wrong: Wrong
  readonly charge: 'estimated' | 'bounded'
}[] = [
  { name: 'huge', wrong: () => 1e15, charge: 'bounded' },
  { name: 'beyond all integers', wrong: () => 1e308, charge: 'bounded' },
  { name: 'negative', wrong: (count) => -count, charge: 'bounded' },
  { name: 'texts', wrong: (count) => String(count), charge: 'bounded' },
  { name: 'fractions', wrong: (count) => count + 0.5, charge: 'bounded' },
  { name: 'null', wrong: () => null, charge: 'bounded' },
  { name: 'zero', wrong: () => 0, charge: 'estimated' },
  { name: 'lists', wrong: (count) => [count], charge: 'bounded' },
]

/** A frame or a body with every count of its usage replaced. */
export function withUsage(text: string, wrong: Wrong): string {
  return text.replace(/\{.*\}/su, (json) => {
    const value = parseJson(json)
    return isObject(value) ? JSON.stringify(edited(value, wrong, false)) : json
  })
}

function edited(value: JsonObject, wrong: Wrong, isUsage: boolean): JsonObject {
  const entries = Object.entries(value).map(([name, field]): [string, unknown] => {
    const isInside = isUsage || name === 'usage' || name === 'usageMetadata'
    if (isInside && typeof field === 'number') return [name, wrong(field)]
    return [name, isObject(field) ? edited(field, wrong, isInside) : field]
  })
  return Object.fromEntries(entries)
}
