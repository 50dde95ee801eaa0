import type { SelectProps } from '@mantine/core'
import { useState } from 'react'
import { Select } from '../../parts/forms/select.tsx'
import { useQuietText } from '../../parts/forms/use-quiet-text.ts'
import { useModelIds } from './use-choices.ts'

/** Selects a model; the search covers the whole catalogue. */
export function ModelSelect(
  props: Omit<SelectProps, 'data' | 'searchValue' | 'onSearchChange' | 'value' | 'onChange'> & {
    value: string | undefined
    onChange: (model: string | undefined) => void
  },
) {
  const { value, onChange, ...others } = props
  const [text, setText] = useState(value ?? '')
  const search = useQuietText(text)
  const found = useModelIds(search === '' || search === value ? undefined : search)
  const data = value === undefined ? found : [...new Set([value, ...found])]
  return (
    <Select
      {...others}
      data={data}
      searchable
      searchValue={text}
      onSearchChange={setText}
      value={value ?? null}
      onChange={(model) => onChange(model ?? undefined)}
    />
  )
}
