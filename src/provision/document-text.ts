import { provisionName } from '../config/settings.ts'
import { turns } from '../core/runtime/turns.ts'
import type { ProvisionDocument } from './export-provision.ts'
import type { WrittenEntry } from './written-entries.ts'

/** The number of entries written in one turn of the event loop. */
const entriesATurn = 100

interface Form {
  readonly head: string
  readonly tail: string
  list(name: string, isEmpty: boolean, isFirst: boolean): string
  entry(entry: WrittenEntry, isFirst: boolean): string
  readonly listEnd: string
}

/** Writes each entry on its own line, so that two documents can be compared. */
const json: Form = {
  head: '{',
  tail: '\n}\n',
  list: (name, _isEmpty, isFirst) => `${isFirst ? '' : ','}\n${JSON.stringify(name)}: [`,
  entry: (entry, isFirst) => `${isFirst ? '' : ','}\n${JSON.stringify(entry)}`,
  listEnd: ']',
}

/** A config file. The values are JSON, which is also YAML. */
const yaml: Form = {
  head: `${provisionName}:\n`,
  tail: '',
  list: (name, isEmpty) => `  ${name}:${isEmpty ? ' []' : ''}\n`,
  entry: (entry) =>
    Object.entries(entry)
      .map(([name, value], at) => `    ${at === 0 ? '-' : ' '} ${name}: ${JSON.stringify(value)}\n`)
      .join(''),
  listEnd: '',
}

const documentFormats = { json, yaml }

/** The text of a whole document, written over several turns of the event loop. */
export async function documentText(
  document: ProvisionDocument,
  format: keyof typeof documentFormats,
): Promise<string> {
  const form = documentFormats[format]
  const pieces = [form.head]
  let count = 0
  for (const [place, [name, entries]] of Object.entries<readonly WrittenEntry[]>({
    ...document,
  }).entries()) {
    pieces.push(form.list(name, entries.length === 0, place === 0))
    for (const [index, entry] of entries.entries()) {
      if (count % entriesATurn === 0) await turns.next()
      count += 1
      pieces.push(form.entry(entry, index === 0))
    }
    pieces.push(form.listEnd)
  }
  return [...pieces, form.tail].join('')
}
