import { Autocomplete, type AutocompleteProps, type ComboboxItem } from '@mantine/core'
import { useState } from 'react'

interface SuggestedInputProps extends Omit<AutocompleteProps, 'data'> {
  readonly suggest: () => readonly string[]
}

/** A list of all would be longer than the form. */
const suggestionsMax = 8

/** A text input that suggests values while the user types. `new york` finds `America/New_York`. */
export function SuggestedInput({ suggest, ...props }: SuggestedInputProps) {
  // Made on the first focus, because most inputs of a form are never used.
  const [data, setData] = useState<string[]>([])
  return (
    <Autocomplete
      {...props}
      data={data}
      limit={suggestionsMax}
      comboboxProps={{ shadow: 'md', keepMounted: data.length > 0 }}
      onFocus={() => setData((made) => (made.length > 0 ? made : [...suggest()]))}
      filter={({ options, search, limit }) => {
        const wanted = plain(search)
        const found = options.filter(
          (option): option is ComboboxItem =>
            'value' in option && plain(option.value).includes(wanted),
        )
        return found.slice(0, limit)
      }}
    />
  )
}

function plain(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, ' ')
}
