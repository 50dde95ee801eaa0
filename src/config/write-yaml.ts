import { stringify } from 'yaml'
import { provisionName } from './settings.ts'

const indent = '      '

/** The beginning of a config file that provisions something. */
export const yamlHead = `${provisionName}:\n`

/** A list of it; what follows are its entries. */
export function yamlList(name: string, isEmpty: boolean): string {
  return `  ${name}:${isEmpty ? ' []' : ''}\n`
}

/** One entry of a list. */
export function yamlEntry(entry: Readonly<Record<string, unknown>>): string {
  const lines = stringify(entry, { lineWidth: 0, aliasDuplicateObjects: false })
  const block = lines.trimEnd().replaceAll(/\n(?!\n|$)/g, `\n${indent}`)
  return `    - ${block}\n`
}
