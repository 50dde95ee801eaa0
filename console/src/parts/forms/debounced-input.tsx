import { TextInput, type TextInputProps } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useState } from 'react'

interface DebouncedInputProps extends Omit<TextInputProps, 'value' | 'onChange' | 'label'> {
  readonly label: string
  readonly isLabelHidden?: boolean
  readonly value: string
  readonly onChange: (text: string) => void
}

const delayMs = 350

/** Input that reports its value after typing pauses, because each value causes a request. */
export function DebouncedInput({
  value,
  onChange,
  label,
  isLabelHidden,
  ...props
}: DebouncedInputProps) {
  const [text, setText] = useState(value)
  const report = useDebouncedCallback((next: string) => onChange(next.trim()), delayMs)
  useEffect(() => setText(value), [value])
  return (
    <TextInput
      {...props}
      {...(isLabelHidden === true ? { 'aria-label': label } : { label })}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value)
        report(event.currentTarget.value)
      }}
    />
  )
}
