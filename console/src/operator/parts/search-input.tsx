import { IconSearch } from '../../icons/icons.ts'
import { DebouncedInput } from '../../parts/forms/debounced-input.tsx'

/** Search input that fires after typing pauses. */
export function SearchInput(props: {
  label: string
  value: string | undefined
  onSearch: (text: string | undefined) => void
}) {
  return (
    <DebouncedInput
      label={props.label}
      isLabelHidden
      placeholder={props.label}
      leftSection={<IconSearch size={16} stroke={1.6} />}
      w={{ base: '100%', xs: 240 }}
      value={props.value ?? ''}
      onChange={(text) => props.onSearch(text === '' ? undefined : text)}
    />
  )
}
