import { join } from 'node:path'
import { Glob } from 'bun'
import type { Definition } from '../../../src/fields/definition.ts'

const sources = join(import.meta.dirname, '..', '..', '..', 'src')

function isDefinition(value: unknown): value is Definition {
  return typeof value === 'object' && value !== null && 'name' in value && 'fields' in value
}

/** Every exported definition, by the name of the export. */
export const allDefinitions: readonly (readonly [string, Definition])[] = await findDefinitions()

async function findDefinitions(): Promise<(readonly [string, Definition])[]> {
  const found: (readonly [string, Definition])[] = []
  for await (const path of new Glob('*/definition/*.ts').scan(sources)) {
    const made = (await import(join(sources, path))) as Record<string, unknown>
    for (const [name, value] of Object.entries(made)) {
      if (isDefinition(value)) found.push([name, value])
    }
  }
  return found.toSorted(([one], [other]) => (one < other ? -1 : 1))
}
