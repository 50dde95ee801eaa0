import type { Finding } from '../finding.ts'
import { listImports } from '../list-imports.ts'
import type { SourceFile } from '../source-file.ts'

/** The inputs of console/src/parts/forms/inputs.tsx. */
const ownInputs = ['NumberInput', 'Switch', 'TextInput']

export function checkFormInputs(file: SourceFile): Finding[] {
  if (!file.path.startsWith('console/src/')) return []
  const imports = listImports(file)
  if (!imports.some(({ specifier }) => specifier === '@mantine/form')) return []
  const message =
    'this input renders again for every key that is pressed in its form. Import it from ' +
    'parts/forms/inputs.tsx.'
  return imports
    .filter(({ specifier }) => specifier === '@mantine/core')
    .filter(({ names }) => names === undefined || names.some((name) => ownInputs.includes(name)))
    .map(({ line }) => ({ path: file.path, line, rule: 'form-inputs', message }))
}
