import { Select as PlainSelect, type SelectProps } from '@mantine/core'
import { type FocusEvent, useState } from 'react'
import { memoized } from './memoized.tsx'

/**
 * Renders its list from the first focus on, because the lists of unused selects would be a tenth of all elements.
 * Rendering the list when it opens would be too late: the key that opens the list also marks an option in it.
 */
export const Select = memoized(function Select(props: SelectProps) {
  const [isUsed, setUsed] = useState(false)
  const focus = (event: FocusEvent<HTMLInputElement>) => {
    setUsed(true)
    props.onFocus?.(event)
  }
  const comboboxProps = { shadow: 'md', ...props.comboboxProps, keepMounted: isUsed }
  return <PlainSelect {...props} comboboxProps={comboboxProps} onFocus={focus} />
})
