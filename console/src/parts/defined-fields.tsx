import { NumberInput, Select, Switch, TagsInput, TextInput } from '@mantine/core'
import type { Definition, Fields } from '../../../src/fields/definition.ts'
import { useFieldText } from '../codes/use-field-text.ts'
import { textLimit } from './text-limit.ts'
import { otherFields, type Typed, type TypedFields } from './typed-fields.ts'

interface DefinedFieldsProps {
  readonly definition: Definition
  /** Fields for which the form has its own editors. */
  readonly own: readonly string[]
  readonly typed: TypedFields
  readonly errorOf: (name: string) => string | undefined
  readonly onChange: (typed: TypedFields) => void
}

/** Editors for all other fields, so that a new field of a definition appears in the form without further code. */
export function DefinedFields({ definition, own, typed, errorOf, onChange }: DefinedFieldsProps) {
  const fieldText = useFieldText()
  return otherFields(definition, own).map(([name, field]) => (
    <DefinedField
      key={name}
      label={fieldText(name)}
      field={field}
      typed={typed[name] ?? ''}
      error={errorOf(name)}
      onChange={(value) => onChange({ ...typed, [name]: value })}
    />
  ))
}

interface DefinedFieldProps {
  readonly label: string
  readonly field: Fields[string]
  readonly typed: Typed
  readonly error: string | undefined
  readonly onChange: (typed: Typed) => void
}

function DefinedField({ label, field, typed, error, onChange }: DefinedFieldProps) {
  const { kind, about } = field
  const shared = { label, description: about, error }
  if (kind.entry === 'flag') {
    return (
      <Switch
        {...shared}
        checked={typed === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    )
  }
  if (kind.entry === 'list') {
    const entries = typeof typed === 'object' ? [...typed] : []
    return <TagsInput {...shared} value={entries} onChange={onChange} />
  }
  const text = typeof typed === 'string' ? typed : ''
  if (kind.entry === 'word') {
    const words = [...(kind.words ?? [])]
    return (
      <Select {...shared} data={words} value={text} onChange={(word) => onChange(word ?? '')} />
    )
  }
  if (kind.entry === 'number') {
    return <NumberInput {...shared} value={text} onChange={(number) => onChange(String(number))} />
  }
  return (
    <TextInput
      {...shared}
      {...textLimit(kind)}
      leftSection={kind.entry === 'money' ? '$' : undefined}
      value={text}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
