export interface JsonLimits {
  readonly depthMax: number
  /** Names and list items together. */
  readonly nodesMax: number
  /** Characters of all names together. */
  readonly nameCharactersMax: number
  /** Accepts a name that occurs twice in one object; the last value counts, as in `JSON.parse`. */
  readonly isLenient?: boolean
}

export function tooLongNames(charactersMax: number): string {
  return `its names have more than ${charactersMax} characters together`
}

export function tooDeep(depthMax: number): string {
  return `it is nested deeper than ${depthMax} levels`
}

export function tooMany(nodesMax: number): string {
  return `it has more than ${nodesMax} names and list items`
}

export const protoRefused = 'the name "__proto__" is not allowed'

export function repeatedName(name: string): string {
  return `the name ${JSON.stringify(name.slice(0, 80))} appears twice in one object`
}
