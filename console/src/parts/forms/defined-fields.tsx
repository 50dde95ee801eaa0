import { Divider, NumberInput, SimpleGrid, Switch, TagsInput, TextInput } from '@mantine/core'
import { Fragment, useEffect, useState } from 'react'
import { newMemberNames } from '../../../../src/accounts/definition/account.ts'
import { budgetNames } from '../../../../src/fields/budget-fields.ts'
import type { Definition, Fields } from '../../../../src/fields/definition.ts'
import { limitNames } from '../../../../src/fields/limit-fields.ts'
import { useFieldText } from '../../codes/use-field-text.ts'
import { useKnownText } from '../../codes/use-known-text.ts'
import { loadLazyTexts } from '../../i18n/start-i18n.ts'
import { memoized } from './memoized.tsx'
import { Select } from './select.tsx'
import { SuggestedInput } from './suggested-input.tsx'
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
  const knownText = useKnownText()
  useLazyTexts()
  const editorOf = ([name, field]: readonly [string, Fields[string]]) => (
    <DefinedField
      key={name}
      label={fieldText(name)}
      hint={knownText(`hint.${name}`)}
      field={field}
      typed={typed[name] ?? ''}
      error={errorOf(name)}
      onChange={(value) => onChange({ ...typed, [name]: value })}
    />
  )
  const fields = otherFields(definition, own)
  const isIn = (names: readonly string[], name: string) => names.includes(name)
  const single = fields.filter(([name]) => !sections.some(([, names]) => isIn(names, name)))
  return (
    <>
      {single.map(editorOf)}
      {sections.map(([section, names]) => {
        const inside = fields.filter(([name]) => isIn(names, name))
        return inside.length === 0 ? null : (
          <Fragment key={section}>
            <Divider label={knownText(`section.${section}`)} labelPosition="left" />
            <SimpleGrid cols={{ base: 1, xs: 2 }} className="field-grid">
              {inside.map(editorOf)}
            </SimpleGrid>
          </Fragment>
        )
      })}
    </>
  )
}

/** Fields that belong together stand in two columns below a title. */
const sections: readonly (readonly [name: string, fields: readonly string[]])[] = [
  ['budgets', budgetNames],
  ['rateLimits', limitNames],
  ['newMembers', newMemberNames],
]

/** Loads the names of the fields, and shows the form again when they have arrived. */
function useLazyTexts(): void {
  const [, setLoaded] = useState(false)
  useEffect(() => {
    void loadLazyTexts().then(() => setLoaded(true))
  }, [])
}

interface DefinedFieldProps {
  readonly label: string
  readonly hint: string | undefined
  readonly field: Fields[string]
  readonly typed: Typed
  readonly error: string | undefined
  readonly onChange: (typed: Typed) => void
}

const DefinedField = memoized(function DefinedField({
  label,
  hint,
  field,
  typed,
  error,
  onChange,
}: DefinedFieldProps) {
  const { kind, about } = field
  const shared = { label, description: hint ?? about, error }
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
    const words = [...(kind.choices ?? [])]
    return (
      <Select {...shared} data={words} value={text} onChange={(word) => onChange(word ?? '')} />
    )
  }
  if (kind.entry === 'number') {
    return <NumberInput {...shared} value={text} onChange={(number) => onChange(String(number))} />
  }
  if (kind.suggestions !== undefined) {
    return (
      <SuggestedInput {...shared} suggest={kind.suggestions} value={text} onChange={onChange} />
    )
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
})
